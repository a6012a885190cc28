//! Agents that are stuck: they are said to work, or it is not known what they do, and they have shown nothing new for long.

use std::collections::HashSet;
use std::time::Duration;

use api::Problem;
use jiff::{SignedDuration, Timestamp};
use model::{Activity, InboxReason, WorkerId};
use store::{NewInboxItem, Store};

use super::log;
use crate::app::App;
use crate::rooms::Inbox;

/// Nothing tells that a program prints nothing, so hosts are asked this often.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A worker, and since when it has shown nothing new.
type Silence = (WorkerId, Timestamp);

impl App {
    /// Enters agents into the inbox that are stuck, forever.
    pub(crate) async fn notice_stuck(self) {
        // A person who has read of it is not told again.
        let mut told: HashSet<Silence> = HashSet::new();
        loop {
            tokio::time::sleep(LOOK_EVERY.min(self.parts().stuck_after)).await;
            let inbox = self.inbox();
            let silent = inbox.silent().await;
            told.retain(|silence| silent.contains(silence));
            inbox.leave_unstuck(&silent).await;
            for silence in silent {
                if told.insert(silence) {
                    log(silence.0, inbox.enter_stuck(silence).await);
                }
            }
        }
    }
}

impl Inbox {
    /// The agents that are neither idle nor ask, and have printed nothing for long.
    async fn silent(&self) -> Vec<Silence> {
        let after = SignedDuration::try_from(self.parts().stuck_after).unwrap_or(SignedDuration::MAX);
        let mut silent = Vec::new();
        for (worker, live) in self.lives().all() {
            let may_be_stuck = matches!(live.activity(), Activity::Active | Activity::Unknown);
            if live.runs_agent.is_none() || live.not_answering || !may_be_stuck {
                continue;
            }
            let Some(report) = self.node().status(worker).await else { continue };
            let since = report.printed_at.unwrap_or(report.started_at);
            if Timestamp::now().duration_since(since) >= after {
                silent.push((worker, since));
            }
        }
        silent
    }

    async fn enter_stuck(&self, (worker, since): Silence) -> Result<(), Problem> {
        let is_active = self.lives().get(worker).is_some_and(|live| live.activity() == Activity::Active);
        let words = match is_active {
            true => "it is said to work, and its screen does not change",
            false => "it shows nothing new, and it is not known what it does",
        };
        let words = Some(self.node().exit_of(worker, None).show(words));
        let new = NewInboxItem { reason: InboxReason::Stuck, mark: since.to_string(), words, since };
        self.happened(move |store: &Store| {
            match store.inbox_item_of(worker)? {
                // What waits already says more.
                Some(_) => Ok(()),
                None => store.enter_inbox(worker, &new).map(drop),
            }
        })
        .until_written()
        .await
    }

    /// Takes those out that have shown something new.
    async fn leave_unstuck(&self, silent: &[Silence]) {
        let Ok(items) = self.read(store::Reader::inbox).await else { return };
        for item in items.into_iter().filter(|item| item.reason == InboxReason::Stuck) {
            let is_stuck =
                silent.iter().any(|(worker, since)| *worker == item.worker && since.to_string() == item.mark);
            if !is_stuck {
                self.leave(item.worker).await;
            }
        }
    }
}
