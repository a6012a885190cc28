//! Tells a person of what enters the inbox, also when no page is open.
//!
//! The inbox is the queue: what left it meanwhile is not told. An entry is noted as told before its message is sent, so a
//! server that is killed never tells of it twice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use api::Problem;
use jiff::{SignedDuration, Timestamp, Zoned};
use model::InboxItemId;
use notify::{Destination, Destinations, Nudge, QuietHours, Waiting};
use store::{InboxItem, Object, Store};
use tokio::sync::Notify;

use crate::app::{App, blocking};
use crate::rooms::Inbox;

/// A viewer is attached, so a person probably looks at the worker. A person who has not reacted after this long does not.
const LOOKS_FOR: SignedDuration = SignedDuration::from_mins(2);

/// More entries than this at once are told in one message: a phone that rings ten times says no more than one message.
const MOST_MESSAGES: usize = 3;

/// A destination that failed is tried again after these pauses, while the entry waits. Then it is given up.
const TRY_AGAIN_AFTER: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];

/// If there is nothing to wait for, the inbox is looked at after this long.
const AT_LATEST: SignedDuration = SignedDuration::from_hours(1);

/// Where and when a person is told.
#[derive(Debug)]
pub(crate) struct Nudging {
    destinations: Destinations,
    quiet: Option<QuietHours>,
    woken: Notify,
    /// Whether an entry is not told yet because a viewer is attached.
    awaits_viewers: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl Nudging {
    pub(crate) fn new(destinations: Destinations, quiet: Option<QuietHours>) -> Nudging {
        let awaits_viewers = AtomicBool::new(false);
        Nudging { destinations, quiet, woken: Notify::new(), awaits_viewers, failure: Mutex::default() }
    }

    /// Something has changed: an entry of the inbox, or perhaps the viewers of a worker.
    pub(crate) fn heard_of(&self, changed: Object) {
        match changed {
            Object::InboxItem(_) => self.woken.notify_one(),
            Object::Worker(_) if self.awaits_viewers.load(Relaxed) => self.woken.notify_one(),
            _ => {}
        }
    }

    /// Why the last message did not arrive.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_failure(&self, failure: Option<String>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

/// When a person is told of an entry.
#[derive(Debug, PartialEq, Eq)]
enum When {
    Now,
    At(Timestamp),
    /// The person knows.
    Never,
}

fn when(item: &InboxItem, has_viewers: bool, quiet: Option<QuietHours>, now: &Zoned) -> When {
    if item.read_at.is_some() {
        return When::Never;
    }
    let seen_until = has_viewers.then(|| item.since.saturating_add(LOOKS_FOR).unwrap_or(Timestamp::MAX));
    let quiet_until = quiet.and_then(|quiet| quiet.ends(now)).map(|end| end.timestamp());
    let times = [item.snoozed_until, seen_until, quiet_until];
    match times.into_iter().flatten().filter(|time| *time > now.timestamp()).max() {
        Some(time) => When::At(time),
        None => When::Now,
    }
}

impl App {
    /// Tells a person of what enters the inbox, forever.
    pub(crate) async fn nudge(self) {
        if self.parts().nudging.destinations.is_empty() {
            return;
        }
        let mut told = HashSet::new();
        loop {
            let next = match self.inbox().nudge_now(&mut told).await {
                Ok(next) => next,
                Err(problem) => {
                    tracing::warn!(reason = problem.error.message, "cannot tell what is in the inbox");
                    None
                }
            };
            let pause = next.map_or(AT_LATEST, |next| next.duration_since(Timestamp::now()).min(AT_LATEST));
            let pause = Duration::try_from(pause).unwrap_or_default();
            tokio::select! {
                () = self.parts().nudging.woken.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

impl Inbox {
    /// Tells what is to be told now. Returns when to look again.
    async fn nudge_now(&self, told: &mut HashSet<InboxItemId>) -> Result<Option<Timestamp>, Problem> {
        let mut items = self.read(store::Reader::inbox).await?;
        // If the database could not note something, this server remembers it.
        told.retain(|id| items.iter().any(|item| item.id == *id));
        items.retain(|item| item.told_at.is_none() && !told.contains(&item.id));
        let (now, mut next) = (Zoned::now(), None);
        let (mut ready, mut known) = (Vec::new(), Vec::new());
        let mut awaits_viewers = false;
        for item in items {
            let has_viewers = self.lives().get(item.worker).is_some_and(|live| !live.viewers.is_empty());
            match when(&item, has_viewers, self.parts().nudging.quiet, &now) {
                When::Now => ready.push(item),
                When::At(time) => {
                    awaits_viewers |= has_viewers;
                    next = Some(next.map_or(time, |next: Timestamp| next.min(time)));
                }
                When::Never => known.push(item.id),
            }
        }
        self.parts().nudging.awaits_viewers.store(awaits_viewers, Relaxed);
        known.extend(ready.iter().map(|item| item.id));
        if known.is_empty() {
            return Ok(next);
        }
        told.extend(&known);
        let noted =
            self.happened(move |store: &Store| store.note_told(&known, Timestamp::now())).once().await;
        if let Err(problem) = noted {
            tracing::warn!(reason = problem.error.message, "cannot note that a person is told");
        }
        let mut waiting = Vec::new();
        for item in ready {
            // An entry whose worker was removed meanwhile waits no more.
            waiting.extend(self.waiting(item).await.ok());
        }
        let messages = match waiting.len() {
            0..=MOST_MESSAGES => waiting.into_iter().map(|one| Nudge::of(vec![one])).collect(),
            _ => vec![Nudge::of(waiting)],
        };
        for nudge in messages {
            for destination in self.parts().nudging.destinations.each() {
                self.deliver(&destination, &nudge).await?;
            }
        }
        Ok(next)
    }

    /// Hands a nudge to a destination. If that fails, tries again while the entry waits.
    async fn deliver(&self, destination: &Destination, nudge: &Nudge) -> Result<(), Problem> {
        let mut pauses = TRY_AGAIN_AFTER.into_iter();
        loop {
            let (to, what) = (destination.clone(), nudge.clone());
            let Err(error) = blocking(move || to.send(&what)).await? else {
                self.parts().nudging.set_failure(None);
                return Ok(());
            };
            let reason = self.node().exit().show(&error.to_string());
            tracing::warn!(%reason, "a message about the inbox did not arrive");
            self.parts().nudging.set_failure(Some(reason.into()));
            let Some(pause) = pauses.next() else { return Ok(()) };
            tokio::time::sleep(pause).await;
            let items = self.read(store::Reader::inbox).await?;
            if !nudge.waiting.iter().any(|one| items.iter().any(|item| item.id == one.inbox_item_id)) {
                return Ok(());
            }
        }
    }

    /// What is told of an entry.
    async fn waiting(&self, item: InboxItem) -> Result<Waiting, Problem> {
        let handle = self.lives().handle(item.worker);
        let exit = self.node().exit_of(item.worker, None);
        self.read(move |store| {
            let session = store.session(store.worker(item.worker)?.session)?;
            let task = session.task.map(|task| store.task(task)).transpose()?;
            let repository = match session.kind {
                store::SessionKind::Quick => None,
                store::SessionKind::Worktree { repository, .. } => Some(store.repository(repository)?),
            };
            let title = task.as_ref().map(|task| task.title.clone()).or(session.title);
            Ok(Waiting {
                inbox_item_id: item.id,
                reason: item.reason,
                since: item.since,
                words: item.words,
                worker_id: item.worker,
                worker: handle.map_or_else(|| item.worker.to_string(), |handle| handle.to_string()),
                session_id: session.id,
                task_id: session.task,
                work: title.map(|title| exit.show(&title)),
                repository_id: repository.as_ref().map(|repository| repository.id),
                repository: repository.map(|repository| exit.show(&repository.name)),
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use model::{InboxReason, WorkerId};

    use super::*;

    #[test]
    fn a_person_is_told_when_the_entry_is_news_to_them() {
        let now = date(2026, 3, 1).at(23, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
        let item = InboxItem {
            id: InboxItemId::from_random([1; 8]),
            worker: WorkerId::from_random([2; 8]),
            reason: InboxReason::Asking,
            mark: String::new(),
            words: None,
            since: now.timestamp(),
            read_at: None,
            snoozed_until: None,
            told_at: None,
        };
        let night = Some("22:00-07:00".parse().unwrap());
        assert_eq!(when(&item, false, None, &now), When::Now);
        assert_eq!(when(&item, true, None, &now), When::At(now.timestamp() + LOOKS_FOR));
        let old = InboxItem { since: now.timestamp() - LOOKS_FOR, ..item.clone() };
        assert_eq!(when(&old, true, None, &now), When::Now, "a viewer that nobody looks at");
        let morning = now.timestamp() + SignedDuration::from_hours(8);
        assert_eq!(when(&item, true, night, &now), When::At(morning));
        let later = morning + SignedDuration::from_hours(1);
        let snoozed = InboxItem { snoozed_until: Some(later), ..item.clone() };
        assert_eq!(when(&snoozed, false, night, &now), When::At(later));
        let read = InboxItem { read_at: Some(item.since), ..item };
        assert_eq!(when(&read, false, None, &now), When::Never);
    }
}
