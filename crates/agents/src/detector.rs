//! What one worker is doing, from all that is known of it.

mod learning;
mod live;

use std::time::Duration;

use model::{Activity, display_safe_unmasked};
use protocol::StatusState;
use serde_json::Value;

use crate::agent::Agent;
use crate::evidence::Evidence;
use crate::heard::{Heard, Mark};
use crate::hook::HookWord;
use crate::program_records::ProgramRecords;
use crate::question::Question;
use crate::rule::{Meaning, Place, PromptMarks, Signs};
use crate::screen::{self, ScreenRows, Sight};
use crate::turn::{Turn, TurnEnd};
use crate::version::Version;

pub use live::{KnownBy, LiveDetector};

/// A weaker source that contradicts a hook for so long is right: no hook tells that the person pressed Esc.
const HOOK_IS_DOUBTED_AFTER: Duration = Duration::from_millis(600);

/// What is above the place to type has not changed for so long: the program does nothing, if the screen would show
/// nothing else when it did.
const QUIET_FOR: Duration = Duration::from_millis(1500);

/// A screen that says something else than before is believed when it has said so twice, or when the program has not
/// printed anything for so long. In between it may be half drawn.
const DRAWN_AFTER: Duration = Duration::from_millis(60);

/// So often a screen is looked at while a program prints without pause; less often when a title says that it works.
const LOOK_EVERY: Duration = Duration::from_millis(200);
const LOOK_AT_WORK_EVERY: Duration = Duration::from_millis(400);

/// What a worker is doing, and how that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What it is doing.
    pub activity: Activity,
    /// What it asks, when it asks.
    pub question: Option<Question>,
    /// What that is known from; nothing if it is not known.
    pub source: Option<Evidence>,
    /// What it said when it failed, while it is idle after that. Safe to show; not masked.
    pub error: Option<String>,
}

/// What a source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The source.
    pub source: Evidence,
    /// What it says.
    pub activity: Activity,
}

/// A source's word, and since when it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word<T> {
    says: T,
    since: Duration,
}

/// Follows one worker. Times are handed in, from any fixed moment on, and never fall. Starts out knowing nothing.
#[derive(Clone, Debug)]
pub struct Detector {
    signs: Signs,
    version: Option<Version>,
    muted: Vec<Evidence>,
    now: Duration,
    records: ProgramRecords,
    hook: Option<Word<HookWord>>,
    title: Option<Word<Meaning>>,
    progress: bool,
    notification: Option<Meaning>,
    mark: Option<Mark>,
    looking: Looking,
    state: State,
    since: Duration,
    /// When the agent began to work, while a turn lasts.
    turn: Option<Duration>,
    ended_turn: Option<Turn>,
}

/// What the screen was last seen to show.
#[derive(Clone, Debug, Default)]
struct Looking {
    /// What is believed, and since when.
    sight: Option<Word<Sight>>,
    /// What was seen once.
    doubtful: Option<Sight>,
    /// When what is above the place to type last changed, and how often it did without a pause.
    body_changed: Duration,
    body_changes: u32,
    last_print: Duration,
    last_look: Option<Duration>,
    is_due: bool,
    /// The person interrupted the agent, by what the screen says.
    shows_interruption: bool,
}

impl Detector {
    /// A detector for an agent, of this version if it is known.
    pub fn new(agent: &Agent, version: Option<Version>) -> Detector {
        Detector {
            signs: agent.signs.clone(),
            version,
            muted: Vec::new(),
            now: Duration::ZERO,
            records: ProgramRecords::default(),
            hook: None,
            title: None,
            progress: false,
            notification: None,
            mark: None,
            looking: Looking::default(),
            state: State::default(),
            since: Duration::ZERO,
            turn: None,
            ended_turn: None,
        }
    }

    /// Does not listen to these sources: to see what the others know.
    #[must_use]
    pub fn without(mut self, muted: &[Evidence]) -> Detector {
        self.muted.extend_from_slice(muted);
        self
    }

    /// Takes in a signal.
    pub fn hear(&mut self, at: Duration, heard: &Heard) {
        self.at(at);
        match heard {
            Heard::Title(text) if self.listens_to(Evidence::Title) => self.take_title(text),
            Heard::Notification(text) if self.listens_to(Evidence::Notification) => {
                self.notification = self.meaning(Place::Notification, text);
            }
            Heard::Progress(works) if self.listens_to(Evidence::Progress) => self.progress = *works,
            Heard::Mark(mark) if self.listens_to(Evidence::PromptMark) => {
                if self.signs.prompt_marks == PromptMarks::Ignored {
                    return;
                }
                if *mark == Mark::Prompt {
                    self.forget();
                }
                self.mark = Some(*mark);
            }
            Heard::Status { id, status } if self.listens_to(Evidence::ProgramStatus) => {
                self.records.update(id, status);
                self.looking.is_due |= status.state == StatusState::Clear;
            }
            _ => return,
        }
        self.decide();
    }

    /// Takes in what an agent handed its hook.
    pub fn hook(&mut self, at: Duration, event: &Value) {
        self.at(at);
        if !self.listens_to(Evidence::Hook) {
            return;
        }
        match HookWord::read(event) {
            Some(HookWord::Over) => self.hook = None,
            Some(says) => {
                // A reminder of a question does not replace what is known of the question.
                let reminds = matches!(&says, HookWord::Asks(question) if question.text.is_none());
                let asks = matches!(self.hook.as_ref().map(|word| &word.says), Some(HookWord::Asks(_)));
                if !(reminds && asks) {
                    self.hook = Some(Word { says, since: at });
                }
            }
            None => return,
        }
        self.looking.is_due = true;
        self.decide();
    }

    /// Notes that the program printed something. Says whether the screen should be looked at now.
    pub fn printed(&mut self, at: Duration) -> bool {
        self.at(at);
        self.looking.last_print = at;
        self.looking.is_due = true;
        self.wants_screen()
    }

    /// Whether the screen should be looked at now.
    pub fn wants_screen(&self) -> bool {
        self.due().is_some_and(|due| due <= self.now)
    }

    /// When the screen should be looked at next, if nothing else happens before.
    pub fn due(&self) -> Option<Duration> {
        if !self.listens_to(Evidence::Screen) {
            return None;
        }
        let looking = &self.looking;
        let in_pause = looking.last_print + DRAWN_AFTER;
        let look = self.rests_until().filter(|_| looking.is_due).map(|rests| in_pause.min(rests));
        [self.settles(), look].into_iter().flatten().min()
    }

    /// When time alone changes what is known.
    fn settles(&self) -> Option<Duration> {
        let looking = &self.looking;
        let quiet = match &looking.sight {
            Some(Word { says: Sight::Ready { .. }, .. }) if !self.signs.work_is_shown => {
                // It is still taken for work.
                let ends = looking.body_changed + QUIET_FOR;
                looking.last_look.filter(|&last| last < ends).map(|_| ends)
            }
            _ => None,
        };
        [quiet, self.doubts_hook_at()].into_iter().flatten().min()
    }

    /// When a source that contradicts a hook is believed.
    fn doubts_hook_at(&self) -> Option<Duration> {
        self.hook.as_ref().map(|word| word.since + HOOK_IS_DOUBTED_AFTER).filter(|&ends| ends > self.now)
    }

    /// Until when a screen that changes all the time need not be looked at again. Nothing if the program says by itself
    /// that it works: then the screen is not needed.
    fn rests_until(&self) -> Option<Duration> {
        let is_active = self.title.is_some_and(|word| word.says == Meaning::Active);
        let every = if is_active { LOOK_AT_WORK_EVERY } else { LOOK_EVERY };
        (!self.records.is_working()).then(|| self.looking.last_look.unwrap_or_default() + every)
    }

    /// Takes in what the screen shows.
    pub fn see(&mut self, at: Duration, screen: &ScreenRows) {
        self.at(at);
        if !self.listens_to(Evidence::Screen) {
            return;
        }
        let sight = screen::look(screen, &self.signs, self.version.as_ref());
        let looking = &mut self.looking;
        let is_drawn = at >= looking.last_print + DRAWN_AFTER;
        looking.last_look = Some(at);
        looking.is_due = !is_drawn;
        let believed = looking.sight.as_ref().map(|word| &word.says);
        if believed.is_some_and(|believed| believed.is_like(&sight)) {
            looking.doubtful = None;
        } else if !is_drawn && !looking.doubtful.as_ref().is_some_and(|seen| seen.is_like(&sight)) {
            looking.doubtful = Some(sight);
            return self.decide();
        }
        looking.doubtful = None;
        if let (Some(Sight::Ready { body: before }), Sight::Ready { body }) = (believed, &sight) {
            if before != body {
                let is_more = at < looking.body_changed + QUIET_FOR;
                looking.body_changes = if is_more { looking.body_changes + 1 } else { 1 };
                looking.body_changed = at;
            }
        } else if matches!(sight, Sight::Ready { .. }) {
            looking.body_changes = 0;
            // It has not changed since the program last printed.
            looking.body_changed = looking.last_print.min(at);
        }
        looking.shows_interruption = screen::shows_interruption(screen);
        let since =
            looking.sight.as_ref().filter(|word| word.says.is_like(&sight)).map_or(at, |word| word.since);
        looking.sight = Some(Word { says: sight, since });
        self.decide();
    }

    /// Notes that time has passed.
    pub fn tick(&mut self, at: Duration) {
        self.at(at);
        self.decide();
    }

    /// The program has ended, and does nothing that could be known.
    pub fn exited(&mut self, at: Duration) {
        self.at(at);
        self.forget();
        self.mark = None;
        self.decide();
    }

    /// What the worker is doing.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Since when it does that.
    pub fn since(&self) -> Duration {
        self.since
    }

    /// Takes the turn that has ended since the last call.
    pub fn take_turn(&mut self) -> Option<Turn> {
        self.ended_turn.take()
    }

    /// What the sources say that are not believed, since a better one says something else.
    pub fn overruled(&self) -> Vec<Said> {
        let is_overruled =
            |said: &Said| Some(said.source) != self.state.source && said.activity != self.state.activity;
        self.evidence().into_iter().filter(is_overruled).collect()
    }

    /// What each source says that says anything, the better ones first.
    pub fn evidence(&self) -> Vec<Said> {
        let screen = self.sight_activity().map(|activity| (Evidence::Screen, activity));
        let title = self.title.and_then(|word| Some((Evidence::Title, word.says.activity()?)));
        let all = [
            self.records.activity().map(|activity| (Evidence::ProgramStatus, activity)),
            self.hook.as_ref().map(|word| (Evidence::Hook, word.says.activity())),
            title,
            self.progress.then_some((Evidence::Progress, Activity::Active)),
            self.notification.and_then(|says| Some((Evidence::Notification, says.activity()?))),
            screen,
            self.mark.map(|mark| (Evidence::PromptMark, mark.activity())),
        ];
        all.into_iter().flatten().map(|(source, activity)| Said { source, activity }).collect()
    }

    fn take_title(&mut self, text: &str) {
        let says = self.meaning(Place::Title, text.trim());
        if self.title.map(|word| word.says) != says {
            self.title = says.map(|says| Word { says, since: self.now });
        }
        if says == Some(Meaning::Active) {
            self.notification = None;
        }
    }

    fn listens_to(&self, source: Evidence) -> bool {
        !self.muted.contains(&source)
    }

    fn meaning(&self, place: Place, text: &str) -> Option<Meaning> {
        screen::meaning(&self.signs, self.version.as_ref(), place, text)
    }

    fn at(&mut self, at: Duration) {
        self.now = self.now.max(at);
    }

    fn forget(&mut self) {
        self.records.clear();
        self.hook = None;
        self.title = None;
        self.progress = false;
        self.notification = None;
        self.looking = Looking::default();
    }

    fn sight(&self) -> Option<&Sight> {
        self.looking.sight.as_ref().map(|word| &word.says)
    }

    /// What the screen says, and nothing where it says nothing.
    fn sight_activity(&self) -> Option<Activity> {
        match self.sight()? {
            Sight::Asking { .. } => Some(Activity::Asking),
            Sight::Working => Some(Activity::Active),
            Sight::Ready { .. } if self.signs.work_is_shown => Some(Activity::Idle),
            Sight::Ready { .. } => {
                let is_quiet = self.now >= self.looking.body_changed + QUIET_FOR;
                let was_active = self.state.activity == Activity::Active;
                match (is_quiet, was_active || self.looking.body_changes >= 2) {
                    (true, _) => Some(Activity::Idle),
                    (false, true) => Some(Activity::Active),
                    (false, false) if self.looking.body_changes == 0 => None,
                    (false, false) => Some(Activity::Idle),
                }
            }
            Sight::Nothing => None,
        }
    }

    /// The question on the screen.
    fn dialog(&self) -> Option<(&Question, bool)> {
        match self.sight()? {
            Sight::Asking { question, known } => Some((question, *known)),
            _ => None,
        }
    }

    fn decide(&mut self) {
        let state = self.decided();
        if state == self.state {
            return;
        }
        if state.activity != self.state.activity {
            // What is found out for the first time has been so since the program last printed.
            let is_new = self.state.activity == Activity::Unknown;
            self.since = if is_new { self.looking.last_print.min(self.now) } else { self.now };
            self.note_turn(&state);
        }
        self.state = state;
    }

    fn decided(&self) -> State {
        let state = |activity, source| State { activity, source: Some(source), ..State::default() };
        let asking = |question: Question, source| State {
            activity: Activity::Asking,
            question: Some(question),
            source: Some(source),
            error: None,
        };
        // What stands in the program's way outside of its conversation is told by the screen alone.
        if let Some((question, known)) = self.dialog() {
            let at_the_door = question.kind.is_some_and(crate::AskedFor::is_at_the_door);
            let is_told = self.records.activity().is_some();
            if at_the_door && (known || !is_told) && self.records.activity() != Some(Activity::Asking) {
                return asking(question.clone(), Evidence::Screen);
            }
        }
        if let Some(activity) = self.records.activity() {
            let mut decided = state(activity, Evidence::ProgramStatus);
            decided.question = self.records.asking().map(|asking| {
                let question = Question::from(asking);
                self.dialog().map_or(question.clone(), |(seen, _)| question.or(seen))
            });
            decided.error = self.records.error().map(display_safe_unmasked);
            return decided;
        }
        let weaker = self.by_weaker();
        let Some(hook) = &self.hook else { return weaker };
        let contradicts = weaker.source.is_some() && weaker.activity != hook.says.activity();
        let doubt_since = self.contradicted_since(weaker.source).max(hook.since);
        let is_doubted = contradicts && self.now >= doubt_since + HOOK_IS_DOUBTED_AFTER;
        if is_doubted || contradicts && weaker.activity == Activity::Asking && self.dialog().is_some() {
            return weaker;
        }
        match &hook.says {
            HookWord::Asks(question) => {
                let question = question.clone();
                asking(self.dialog().map_or(question.clone(), |(seen, _)| question.or(seen)), Evidence::Hook)
            }
            says => state(says.activity(), Evidence::Hook),
        }
    }

    /// Since when a source that is weaker than hooks says what it says.
    fn contradicted_since(&self, source: Option<Evidence>) -> Duration {
        let of_title = self.title.map(|word| word.since);
        let of_screen = self.looking.sight.as_ref().map(|word| word.since);
        match source {
            Some(Evidence::Title) => of_title.unwrap_or_default(),
            Some(Evidence::Screen) => of_screen.unwrap_or_default(),
            _ => self.now,
        }
    }

    /// What is known without program status and hooks.
    fn by_weaker(&self) -> State {
        let state = |activity, source| State { activity, source: Some(source), ..State::default() };
        let seen = self.sight_activity();
        if let (Some((question, _)), title) = (self.dialog(), self.title.map(|word| word.says)) {
            let source = match title {
                Some(Meaning::Asking(_)) => Evidence::Title,
                _ => Evidence::Screen,
            };
            let question = question.clone();
            return State {
                activity: Activity::Asking,
                question: Some(question),
                source: Some(source),
                error: None,
            };
        }
        if let Some(title) = self.title {
            let screen_is_believed =
                title.says == Meaning::ProbablyIdle && matches!(self.sight(), Some(Sight::Working));
            match title.says {
                _ if screen_is_believed => return state(Activity::Active, Evidence::Screen),
                Meaning::Asking(kind) => {
                    let question = Question { kind, ..Question::default() };
                    return State { question: Some(question), ..state(Activity::Asking, Evidence::Title) };
                }
                says => {
                    if let Some(activity) = says.activity() {
                        return state(activity, Evidence::Title);
                    }
                }
            }
        }
        if self.progress {
            return state(Activity::Active, Evidence::Progress);
        }
        if let (Some(Meaning::Asking(kind)), None) = (self.notification, seen) {
            let question = Question { kind, ..Question::default() };
            return State { question: Some(question), ..state(Activity::Asking, Evidence::Notification) };
        }
        if let Some(mark) = self.mark {
            return match (mark.activity(), seen) {
                // A program that the shell runs.
                (Activity::Active, Some(seen)) => state(seen, Evidence::Screen),
                (activity, _) => state(activity, Evidence::PromptMark),
            };
        }
        seen.map_or_else(State::default, |activity| state(activity, Evidence::Screen))
    }

    fn note_turn(&mut self, next: &State) {
        match (next.activity, self.turn) {
            (Activity::Active, None) => self.turn = Some(self.now),
            (Activity::Idle, Some(began)) => {
                let told = match self.hook.as_ref().map(|word| &word.says) {
                    Some(HookWord::Done { how, message }) => Some((*how, message.clone())),
                    _ => None,
                };
                let how = match (&next.error, self.state.activity, &told) {
                    (Some(error), _, _) => TurnEnd::of_error(error),
                    _ if self.records.has_failed() => TurnEnd::Failed,
                    (None, Activity::Asking, _) => TurnEnd::Refused,
                    _ if self.looking.shows_interruption => TurnEnd::Interrupted,
                    (None, _, Some((how, _))) => *how,
                    (None, _, None) => TurnEnd::Finished,
                };
                let message = next.error.clone().or_else(|| told.and_then(|(_, message)| message));
                self.ended_turn = Some(Turn { began, ended: self.now, how, message });
                self.turn = None;
            }
            (Activity::Unknown, _) => self.turn = None,
            _ => {}
        }
    }
}
