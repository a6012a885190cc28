//! Brings the inbox up to date with what the detectors find out.

use api::{Problem, TurnEnd};
use jiff::Timestamp;
use model::{Activity, InboxReason, WorkerId};
use store::{NewInboxItem, Store};

use super::log;
use super::news::New;
use crate::app::App;
use crate::rooms::Inbox;
use crate::standing::StandingChange;

/// What becomes of a worker's entry.
#[derive(Clone)]
enum Entry {
    /// It stays, unless it is a question, or says that the agent is stuck.
    AsksNothing,
    /// The worker waits for nothing.
    Leaves,
    /// The worker waits for this. `again`: it waited for something else in between, even if that looks the same.
    Is { new: NewInboxItem, again: bool },
}

impl App {
    /// Keeps the inbox up to date, forever.
    pub(crate) async fn settle_inbox(self) {
        loop {
            for ((owner, worker), new) in self.parts().news.next().await {
                log(worker, self.of(owner).inbox().settle(worker, new).await);
            }
        }
    }
}

impl Inbox {
    /// Takes in that the standing of a worker has changed.
    pub(crate) fn note(&self, worker: WorkerId, change: StandingChange) {
        self.parts().news.note(self.owner(), worker, change);
    }

    async fn settle(&self, worker: WorkerId, new: New) -> Result<(), Problem> {
        let activity = new.standing.activity;
        if activity == Activity::Unknown {
            return Ok(());
        }
        let known = self.read(move |store| store.worker(worker)).await?.activity;
        let runs_agent = self.lives().runs_agent(worker);
        let entry = entry_of(&new, known, runs_agent);
        self.happened(move |store: &Store| {
            match &entry {
                Entry::AsksNothing => {
                    let entered = store.inbox_item_of(worker)?;
                    let was_stopped = [InboxReason::Asking, InboxReason::Stuck];
                    if entered.is_some_and(|item| was_stopped.contains(&item.reason)) {
                        store.leave_inbox(worker)?;
                    }
                }
                Entry::Leaves => drop(store.leave_inbox(worker)?),
                Entry::Is { new, again } => {
                    if *again {
                        store.leave_inbox(worker)?;
                    }
                    store.enter_inbox(worker, new)?;
                }
            }
            // Last: if this is not written, the next server finds out about it again.
            store.set_activity(worker, activity).map(drop)
        })
        .until_written()
        .await
    }
}

/// What becomes of the entry of a worker that was doing `known` when that was last written down.
fn entry_of(new: &New, known: Activity, runs_agent: bool) -> Entry {
    let standing = &new.standing;
    let since = standing.since.unwrap_or_else(Timestamp::now);
    match standing.activity {
        Activity::Unknown | Activity::Active => Entry::Leaves,
        Activity::Asking => {
            let question = standing.question.as_ref();
            let mark = question.map(|asked| asked.id.clone()).unwrap_or_default();
            let words = question.and_then(|asked| asked.text.clone());
            let new_item = NewInboxItem { reason: InboxReason::Asking, mark, words, since };
            Entry::Is { new: new_item, again: new.asked_nothing }
        }
        Activity::Idle => {
            let Some(turn) = &new.turn else {
                // The turn ended while no server ran. If the worker asked then, a person has answered in its terminal.
                let ended_unseen = new.is_first && known == Activity::Active;
                return if ended_unseen && runs_agent {
                    finished(since.to_string(), None, since)
                } else {
                    Entry::AsksNothing
                };
            };
            let (mark, words) = (turn.ended.to_string(), turn.message.clone());
            let reason = match turn.how {
                TurnEnd::Finished => InboxReason::Finished,
                TurnEnd::Failed => InboxReason::Failed,
                TurnEnd::Limit => InboxReason::Limit,
                // The person knows.
                TurnEnd::Interrupted | TurnEnd::Refused => return Entry::Leaves,
            };
            if !runs_agent {
                return Entry::Leaves;
            }
            Entry::Is { new: NewInboxItem { reason, mark, words, since: turn.ended }, again: false }
        }
    }
}

fn finished(mark: String, words: Option<model::ShownText>, since: Timestamp) -> Entry {
    Entry::Is { new: NewInboxItem { reason: InboxReason::Finished, mark, words, since }, again: false }
}
