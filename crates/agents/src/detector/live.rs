//! A detector for a worker that runs now.

use std::time::Duration;

use protocol::{RowsReport, StatusReport};

use super::{DRAWN_AFTER, Detector, Said, State};
use crate::agent::Agent;
use crate::agent_id::AgentId;
use crate::heard::Heard;
use crate::known::Agents;
use crate::screen::ScreenRows;
use crate::turn::Turn;

/// A detector for a worker that runs now, and whose host says once that the program has printed something, until it is
/// asked for the screen.
///
/// It does not talk to the host. [`wake`](LiveDetector::wake), called when [`due`](LiveDetector::due) says so, tells
/// whether the host should be asked for the rows; they come back through [`saw`](LiveDetector::saw). A program that prints
/// without pause is looked at a few times a second, and one that prints nothing never. Times are handed in, as to a
/// [`Detector`].
#[derive(Clone, Debug)]
pub struct LiveDetector {
    detector: Detector,
    agent: AgentId,
    known_by: KnownBy,
    view: View,
    /// The screen as it was seen last.
    rows: Option<ScreenRows>,
}

/// How it is known which agent a worker runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// The worker was started as this agent.
    Agent,
    /// Its command starts the agent's program.
    Command,
    /// The title of its window begins with the agent's name.
    Title,
    /// It is not known, and no definition is used.
    Nothing,
}

impl KnownBy {
    /// The word for it, in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            KnownBy::Agent => "agent",
            KnownBy::Command => "command",
            KnownBy::Title => "title",
            KnownBy::Nothing => "nothing",
        }
    }
}

/// What is known of the worker's screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// The host does not answer a question for it.
    Hidden,
    /// The program has printed something since then. How much, and for how long, is not known.
    Old { since: Duration },
    /// The host was asked. `again`: something has changed since that the answer may not have.
    Asked { again: bool },
    /// It is as it was seen last.
    Fresh,
}

impl LiveDetector {
    /// A detector for a worker that was started as this agent, if it was, with this command.
    pub fn new(agents: &Agents, agent: Option<&str>, command: &[String]) -> LiveDetector {
        let by_id = agent.and_then(|id| agents.get(&id.parse().ok()?));
        let (agent, known_by) = match (by_id, agents.of_command(command)) {
            (Some(agent), _) => (agent, KnownBy::Agent),
            (None, Some(agent)) => (agent, KnownBy::Command),
            (None, None) => (agents.generic(), KnownBy::Nothing),
        };
        let detector = Detector::new(agent, None);
        LiveDetector { detector, agent: agent.id.clone(), known_by, view: View::Hidden, rows: None }
    }

    /// A connection to the host was made, and this is its report. The program has printed nothing for so long. What was
    /// known stays known where the report does not say something else.
    pub fn begin(&mut self, at: Duration, agents: &Agents, report: &StatusReport, quiet: Duration) {
        self.recognize(agents, &report.program.title);
        self.detector.quiet(at, quiet);
        self.detector.learn(at, &report.program);
        self.view = match report.answers_rows {
            // It is to be looked at now.
            true => View::Old { since: at.saturating_sub(DRAWN_AFTER) },
            false => View::Hidden,
        };
    }

    /// Takes in a signal of the program.
    pub fn hear(&mut self, at: Duration, agents: &Agents, heard: &Heard) {
        if let Heard::Title(title) = heard {
            self.recognize(agents, title);
        }
        self.detector.hear(at, heard);
    }

    /// Takes in what an agent handed its hook.
    pub fn hook(&mut self, at: Duration, event: &serde_json::Value) {
        self.detector.hook(at, event);
    }

    /// The host says that the program has printed something.
    pub fn printed(&mut self, at: Duration) {
        // While the answer is on its way, the host will say it again if the answer does not have it.
        if self.view == View::Fresh {
            self.view = View::Old { since: at };
            self.detector.printed(at);
        }
    }

    /// The terminal has another size.
    pub fn resized(&mut self, at: Duration) {
        match &mut self.view {
            View::Asked { again } => *again = true,
            View::Fresh => self.printed(at),
            View::Hidden | View::Old { .. } => {}
        }
    }

    /// Takes in the host's answer to the question for the screen.
    pub fn saw(&mut self, at: Duration, report: RowsReport) {
        let again = self.view == View::Asked { again: true };
        self.view = if again { View::Old { since: at } } else { View::Fresh };
        let cursor = report.cursor;
        let rows = ScreenRows {
            rows: report.rows,
            cursor: (usize::from(cursor.row), usize::from(cursor.col)),
            cursor_is_shown: cursor.shown,
        };
        self.detector.quiet(at, Duration::from_millis(report.quiet_ms));
        self.detector.see(at, &rows);
        self.rows = Some(rows);
    }

    /// When to wake it, if nothing happens before.
    pub fn due(&self) -> Option<Duration> {
        match self.view {
            View::Hidden => self.detector.doubts_hook_at(),
            View::Asked { .. } => None,
            View::Fresh => self.detector.due(),
            View::Old { since } => {
                let look = self.detector.rests_until().map(|rests| rests.max(since + DRAWN_AFTER));
                [look, self.detector.settles()].into_iter().flatten().min()
            }
        }
    }

    /// Time has passed. Says whether the host should be asked for the rows now.
    #[must_use = "the detector waits for the answer"]
    pub fn wake(&mut self, at: Duration) -> bool {
        let is_due = self.due().is_some_and(|due| due <= at);
        match (self.view, &self.rows) {
            (View::Old { .. }, _) if is_due => {
                self.view = View::Asked { again: false };
                self.detector.tick(at);
                true
            }
            (View::Fresh, Some(rows)) if is_due => {
                self.detector.see(at, rows);
                false
            }
            _ => {
                self.detector.tick(at);
                false
            }
        }
    }

    /// What the worker is doing.
    pub fn state(&self) -> &State {
        self.detector.state()
    }

    /// Since when it does that.
    pub fn since(&self) -> Duration {
        self.detector.since()
    }

    /// Takes the turn that has ended since the last call.
    pub fn take_turn(&mut self) -> Option<Turn> {
        self.detector.take_turn()
    }

    /// What each source says that says anything, the better ones first.
    pub fn evidence(&self) -> Vec<Said> {
        self.detector.evidence()
    }

    /// What the sources say that are not believed.
    pub fn overruled(&self) -> Vec<Said> {
        self.detector.overruled()
    }

    /// The definition by which it judges, and how that was found.
    pub fn definition(&self) -> (&AgentId, KnownBy) {
        (&self.agent, self.known_by)
    }

    /// Whether it is shown the screen.
    pub fn sees_screen(&self) -> bool {
        self.view != View::Hidden
    }

    /// Finds the agent by the title, if it is not known otherwise.
    fn recognize(&mut self, agents: &Agents, title: &str) {
        if self.known_by != KnownBy::Nothing {
            return;
        }
        if let Some(agent) = agents.of_title(title) {
            self.become_of(agent);
        }
    }

    fn become_of(&mut self, agent: &Agent) {
        self.agent = agent.id.clone();
        self.known_by = KnownBy::Title;
        self.detector.recognize(agent);
    }
}
