//! A detector on the server's clock, and what was shown of it.

use std::time::{Duration, Instant};

use agents::{Agent, AgentId, Agents, Heard, KnownBy, LiveDetector, Said, State, Turn, still_title};
use home::{HookCursor, HookEvent};
use jiff::Timestamp;
use model::Activity;
use protocol::{RowsReport, SignalMessage, StatusReport};

use super::{Live, Started};
use crate::inbox::Asked;

/// A program that says that it asks draws its question at the same time. The screen is waited for so long: it has the
/// choices, and a question that is shown in two parts would look like two.
const QUESTION_IS_DRAWN_WITHIN: Duration = Duration::from_millis(400);

/// Knows what one worker's program is doing.
#[derive(Debug)]
pub(super) struct Detection {
    detector: LiveDetector,
    /// The detector's times count from here, on both clocks.
    began: (Instant, Timestamp),
    /// The title, without what spins in it.
    title: String,
    /// What was shown.
    shown: State,
    /// What was shown of the agent.
    shown_agent: Option<String>,
    /// A turn that has ended and was not shown.
    turn: Option<Turn>,
    /// How far its hooks were heard.
    hooks: HookCursor,
}

/// What is to be shown.
pub(super) struct News {
    pub(super) state: State,
    pub(super) since: Timestamp,
    pub(super) turn: Option<Turn>,
    pub(super) runs_agent: Option<String>,
}

impl Detection {
    pub(super) fn new(agents: &Agents, started: &Started) -> Detection {
        Detection {
            detector: LiveDetector::new(agents, started.agent.as_deref(), &started.command),
            began: (Instant::now(), Timestamp::now()),
            title: String::new(),
            shown: State::default(),
            shown_agent: None,
            turn: None,
            hooks: HookCursor::default(),
        }
    }

    /// Takes in the report with which a connection to the host begins.
    pub(super) fn begin(&mut self, agents: &Agents, report: &StatusReport) {
        self.title = still_title(&report.program.title);
        let printed = report.printed_at.unwrap_or(report.started_at);
        let quiet = Duration::try_from(Timestamp::now().duration_since(printed)).unwrap_or_default();
        self.detector.begin(self.now(), agents, report, quiet);
    }

    /// Takes in a signal.
    pub(super) fn hear(&mut self, agents: &Agents, signal: &SignalMessage) {
        if let Some(heard) = Heard::of_message(signal) {
            self.detector.hear(self.now(), agents, &heard);
        }
    }

    /// Whether a title is another one, not the same with another spinner. Remembers it.
    pub(super) fn is_another_title(&mut self, title: &str) -> bool {
        let still = still_title(title);
        let is_another = still != self.title;
        self.title = still;
        is_another
    }

    pub(super) fn hooks_heard(&self) -> HookCursor {
        self.hooks
    }

    /// Takes in what hooks told between two cursors.
    pub(super) fn hook(&mut self, since: HookCursor, to: HookCursor, events: &[HookEvent]) {
        if since != self.hooks {
            return;
        }
        let is_first = since == HookCursor::default();
        self.hooks = to;
        // What a hook told before this server began is of use only as far as it holds still.
        let skipped = if is_first { events.len().saturating_sub(1) } else { 0 };
        for told in &events[skipped..] {
            self.detector.hook(self.now(), &told.event);
        }
    }

    pub(super) fn printed(&mut self) {
        self.detector.printed(self.now());
    }

    pub(super) fn resized(&mut self) {
        self.detector.resized(self.now());
    }

    pub(super) fn saw(&mut self, rows: RowsReport) {
        self.detector.saw(self.now(), rows);
    }

    /// When to wake it, if nothing happens before.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = [self.detector.due(), self.question_is_shown_at()].into_iter().flatten().min();
        due.map(|due| self.began.0 + due)
    }

    /// Time has passed. Says whether the host should be asked for the rows.
    pub(super) fn wake(&mut self) -> bool {
        let now = self.now();
        self.detector.wake(now)
    }

    /// What is new and not shown yet.
    pub(super) fn take_news(&mut self) -> Option<News> {
        self.turn = self.detector.take_turn().or(self.turn.take());
        let runs_agent = self.runs_agent();
        let is_new = *self.detector.state() != self.shown || runs_agent != self.shown_agent;
        if !is_new && self.turn.is_none() || self.question_is_shown_at().is_some_and(|at| at > self.now()) {
            return None;
        }
        self.shown.clone_from(self.detector.state());
        self.shown_agent.clone_from(&runs_agent);
        Some(News {
            state: self.shown.clone(),
            since: self.at(self.detector.since()),
            turn: self.turn.take(),
            runs_agent,
        })
    }

    /// The moment that the detector's times count from.
    pub(super) fn began(&self) -> Timestamp {
        self.began.1
    }

    /// The definition by which it judges.
    pub(super) fn definition<'a>(&self, agents: &'a Agents) -> Option<&'a Agent> {
        agents.get(self.detector.definition().0)
    }

    /// What the program asks, by what was shown last.
    pub(super) fn asked(&self, id: String, agents: &Agents) -> Option<Asked> {
        let (agent, _) = self.detector.definition();
        Some(Asked {
            id,
            question: self.shown.question.clone()?,
            agent: agents.get(agent)?.clone(),
            version: None,
        })
    }

    pub(super) fn explain(&self, live: &Live) -> api::Explanation {
        let said = |all: Vec<Said>| {
            let by =
                |said: Said| api::SaidBy { source: said.source.as_str().to_owned(), activity: said.activity };
            all.into_iter().map(by).collect()
        };
        let (agent, known_by) = self.detector.definition();
        api::Explanation {
            activity: live.standing.activity,
            since: live.standing.since,
            source: live.standing.source.map(|source| source.as_str().to_owned()),
            evidence: said(self.detector.evidence()),
            overruled: said(self.detector.overruled()),
            agent_id: agent.as_str().to_owned(),
            known_by: known_by.as_str().to_owned(),
            sees_screen: self.detector.sees_screen(),
            question: live.standing.question.clone(),
            error: live.standing.error.clone(),
            turn: live.turn.clone(),
        }
    }

    /// The agent that runs, if it is known. A shell is none.
    fn runs_agent(&self) -> Option<String> {
        let (agent, known_by) = self.detector.definition();
        let is_agent = known_by != KnownBy::Nothing && *agent != AgentId::shell();
        is_agent.then(|| agent.as_str().to_owned())
    }

    /// When a question is shown of which only the program's own word is known; nothing if there is none, or if it is
    /// shown already.
    fn question_is_shown_at(&self) -> Option<Duration> {
        let state = self.detector.state();
        let is_held = state.activity == Activity::Asking
            && self.shown.activity != Activity::Asking
            && self.detector.sees_screen()
            && !state.question.as_ref().is_some_and(agents::Question::is_seen);
        is_held.then(|| self.detector.since() + QUESTION_IS_DRAWN_WITHIN)
    }

    fn now(&self) -> Duration {
        self.began.0.elapsed()
    }

    fn at(&self, moment: Duration) -> Timestamp {
        self.began.1.checked_add(moment).unwrap_or(Timestamp::MAX)
    }
}
