//! What detectors have found out and the inbox does not know yet. What is found out in the meantime is taken in at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Activity, OwnerId, WorkerId};
use tokio::sync::Notify;

use crate::standing::{Standing, StandingChange};

/// What is new about workers.
#[derive(Debug, Default)]
pub(crate) struct News {
    all: Mutex<HashMap<(OwnerId, WorkerId), New>>,
    woken: Notify,
}

/// What is new about a worker.
#[derive(Clone, Debug, Default)]
pub(super) struct New {
    /// What its program does now.
    pub(super) standing: Standing,
    /// Whether it did not ask in between: then a question is another one, whatever its words.
    pub(super) asked_nothing: bool,
    /// Whether this server knew nothing of it before.
    pub(super) is_first: bool,
    /// The turn that ended last, if one ended and no other has begun.
    pub(super) turn: Option<api::Turn>,
}

impl News {
    /// Notes that the standing of a worker has changed.
    pub(super) fn note(&self, owner: OwnerId, worker: WorkerId, change: StandingChange) {
        let StandingChange { before, after, turn } = change;
        let mut all = self.lock();
        let new = all
            .entry((owner, worker))
            .or_insert_with(|| New { is_first: before.activity == Activity::Unknown, ..New::default() });
        let is_other =
            before.question.as_ref().map(|asked| &asked.id) != after.question.as_ref().map(|asked| &asked.id);
        new.asked_nothing |=
            before.activity != Activity::Unknown && (before.activity != Activity::Asking || is_other);
        match after.activity {
            Activity::Active => new.turn = None,
            _ => new.turn = turn.or(new.turn.take()),
        }
        new.standing = after;
        drop(all);
        self.woken.notify_one();
    }

    /// Waits for news, and takes them.
    pub(super) async fn next(&self) -> Vec<((OwnerId, WorkerId), New)> {
        loop {
            let taken = std::mem::take(&mut *self.lock());
            if !taken.is_empty() {
                return taken.into_iter().collect();
            }
            self.woken.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(OwnerId, WorkerId), New>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const OWNER: OwnerId = OwnerId::ONLY;

    fn worker() -> WorkerId {
        WorkerId::from_random([1; 8])
    }

    fn doing(activity: Activity) -> Standing {
        Standing { activity, ..Standing::default() }
    }

    fn asking(id: &str) -> Standing {
        let question = api::Question {
            id: id.to_owned(),
            kind: None,
            text: None,
            detail: Vec::new(),
            choices: Vec::new(),
            selected: None,
            takes_words: false,
        };
        Standing { question: Some(question), ..doing(Activity::Asking) }
    }

    /// The news after these standings, one after the other.
    fn after(standings: &[Standing]) -> New {
        let news = News::default();
        for pair in standings.windows(2) {
            let change = StandingChange { before: pair[0].clone(), after: pair[1].clone(), turn: None };
            news.note(OWNER, worker(), change);
        }
        let mut taken = news.next().now_or_never().expect("there are news");
        assert_eq!(taken.len(), 1);
        taken.remove(0).1
    }

    #[test]
    fn the_same_question_with_work_in_between_is_another_one() {
        let working = doing(Activity::Active);
        assert!(after(&[asking("a"), working.clone(), asking("a")]).asked_nothing);
        assert!(after(&[working, asking("a")]).asked_nothing);
        assert!(after(&[asking("a"), asking("b")]).asked_nothing);
        let moved = after(&[asking("a"), asking("a")]);
        assert!(!moved.asked_nothing && moved.standing.question.is_some());
    }

    #[test]
    fn a_question_that_a_new_server_finds_may_be_the_one_that_is_entered() {
        let found = after(&[doing(Activity::Unknown), asking("a")]);
        assert!(found.is_first && !found.asked_nothing);
    }

    #[test]
    fn nothing_new_is_waited_for() {
        assert!(News::default().next().now_or_never().is_none());
    }
}
