//! Whether the turn of a submitted prompt has begun.

use std::collections::HashMap;
use std::time::Duration;

use model::{Activity, PromptId};
use tokio::time::Instant;

use crate::live::Live;

/// An agent that was idle shows within this time that it works on a prompt.
const STARTS_WITHIN: Duration = Duration::from_secs(10);

/// What this server saw of the prompts that are submitted.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<PromptId, Since>);

/// What was so when a prompt was submitted.
#[derive(Debug)]
struct Since {
    /// The last turn, if this server submitted the prompt.
    turn: Option<Option<api::Turn>>,
    /// When an agent that is idle will not begin any more. Counts from the moment in which it is known what it does.
    at_latest: Option<Instant>,
}

/// Whether a turn has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Started {
    Yes,
    NotYet { at_latest: Option<Instant> },
    Never,
}

impl Seen {
    /// A prompt is about to be submitted, and this was the last turn.
    pub(super) fn submits(&mut self, prompt: PromptId, turn: Option<api::Turn>) {
        self.0.insert(prompt, Since { turn: Some(turn), at_latest: None });
    }

    /// Whether the turn of a submitted prompt has begun. `busy`: the agent worked when the prompt was pasted.
    pub(super) fn started(
        &mut self,
        prompt: PromptId,
        busy: bool,
        live: Option<&Live>,
        now: Instant,
    ) -> Started {
        let since = self.0.entry(prompt).or_insert(Since { turn: None, at_latest: None });
        let Some(live) = live else { return Started::NotYet { at_latest: None } };
        let had_turn = since.turn.as_ref().is_some_and(|turn| *turn != live.turn);
        let started = match (live.activity(), busy) {
            _ if had_turn => Started::Yes,
            (Activity::Active | Activity::Asking, false) => Started::Yes,
            // An agent queues what it is sent while it works, and is idle only when it has done that too.
            (Activity::Idle, true) => Started::Yes,
            (Activity::Idle, false) => {
                let at_latest = *since.at_latest.get_or_insert(now + STARTS_WITHIN);
                match at_latest <= now {
                    true => Started::Never,
                    false => Started::NotYet { at_latest: Some(at_latest) },
                }
            }
            _ => Started::NotYet { at_latest: None },
        };
        if !matches!(started, Started::NotYet { .. }) {
            self.0.remove(&prompt);
        }
        started
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standing::Standing;

    fn id() -> PromptId {
        PromptId::from_random([1; 8])
    }

    fn doing(activity: Activity) -> Live {
        let mut live = Live::default();
        live.standing = Standing { activity, ..Standing::default() };
        live
    }

    fn turn() -> Option<api::Turn> {
        let (began, how) = (jiff::Timestamp::UNIX_EPOCH, api::TurnEnd::Finished);
        Some(api::Turn { began, ended: began, how, message: None })
    }

    #[test]
    fn an_idle_agent_that_works_or_asks_has_started() {
        for activity in [Activity::Active, Activity::Asking] {
            let mut seen = Seen::default();
            assert!(matches!(
                seen.started(id(), false, Some(&doing(Activity::Idle)), Instant::now()),
                Started::NotYet { .. }
            ));
            assert_eq!(seen.started(id(), false, Some(&doing(activity)), Instant::now()), Started::Yes);
        }
    }

    #[test]
    fn a_turn_that_is_over_already_has_started_too() {
        let mut seen = Seen::default();
        seen.submits(id(), None);
        let mut over = doing(Activity::Idle);
        over.turn = turn();
        assert_eq!(seen.started(id(), false, Some(&over), Instant::now()), Started::Yes);
        seen.submits(id(), turn());
        assert!(matches!(
            seen.started(id(), false, Some(&over), Instant::now()),
            Started::NotYet { at_latest: Some(_) }
        ));
    }

    #[test]
    fn an_agent_that_stays_idle_never_starts() {
        let mut seen = Seen::default();
        let idle = doing(Activity::Idle);
        assert!(matches!(seen.started(id(), false, Some(&idle), Instant::now()), Started::NotYet { .. }));
        let later = Instant::now() + STARTS_WITHIN;
        assert_eq!(seen.started(id(), false, Some(&idle), later), Started::Never);
    }

    #[test]
    fn a_busy_agent_has_taken_it_up_when_it_is_idle() {
        let mut seen = Seen::default();
        let (working, asking) = (doing(Activity::Active), doing(Activity::Asking));
        assert_eq!(
            seen.started(id(), true, Some(&working), Instant::now()),
            Started::NotYet { at_latest: None }
        );
        assert_eq!(
            seen.started(id(), true, Some(&asking), Instant::now()),
            Started::NotYet { at_latest: None }
        );
        assert_eq!(seen.started(id(), true, None, Instant::now()), Started::NotYet { at_latest: None });
        assert_eq!(seen.started(id(), true, Some(&doing(Activity::Idle)), Instant::now()), Started::Yes);
    }
}
