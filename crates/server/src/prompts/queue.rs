//! The queues in work: one piece of work for each worker that has prompts, which waits for the worker's activity.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::{ErrorCode, Problem};
use model::{Activity, WorkerId};
use store::{Prompt, PromptState};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::evidence::{Seen, Started};
use super::{is_under_way, waits_for};
use crate::rooms::Prompts;

/// After a failure for which no event tells when it is over: the host does not answer, or the database refuses.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// The queues in work.
#[derive(Debug, Default)]
pub(crate) struct Prompting(Mutex<HashMap<WorkerId, InWork>>);

#[derive(Debug, Default)]
struct InWork {
    /// Whether something has changed since the queue was last looked at.
    has_changed: bool,
    woken: Arc<Notify>,
}

impl Prompting {
    /// Begins to work on a worker's queue, unless that is done already: then the queue is looked at again.
    fn begin(&self, worker: WorkerId) -> Option<Arc<Notify>> {
        if self.wake(worker) {
            return None;
        }
        let in_work = InWork::default();
        let woken = Arc::clone(&in_work.woken);
        self.lock().insert(worker, in_work);
        Some(woken)
    }

    /// Something has changed that a worker's queue may wait for. False if the queue is not in work.
    fn wake(&self, worker: WorkerId) -> bool {
        let mut all = self.lock();
        let Some(in_work) = all.get_mut(&worker) else { return false };
        in_work.has_changed = true;
        in_work.woken.notify_one();
        true
    }

    /// The queue is looked at now.
    fn look(&self, worker: WorkerId) {
        if let Some(in_work) = self.lock().get_mut(&worker) {
            in_work.has_changed = false;
        }
    }

    /// The queue was empty when it was looked at. False if it may not be any more.
    fn end(&self, worker: WorkerId) -> bool {
        let mut all = self.lock();
        if all.get(&worker).is_some_and(|in_work| in_work.has_changed) {
            return false;
        }
        all.remove(&worker);
        true
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WorkerId, InWork>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a queue is looked at again.
pub(super) enum Next {
    /// At once.
    Now,
    /// When something changes, at the latest then.
    Wait(Option<Instant>),
}

impl Prompts {
    /// Goes on with the prompts that the last server left.
    pub(crate) async fn go_on(&self) {
        match self.read(store::Reader::workers_with_prompts).await {
            Ok(workers) => workers.into_iter().for_each(|worker| self.drive(worker)),
            Err(problem) => tracing::warn!(reason = problem.error.message, "the prompts are not read"),
        }
    }

    /// Something has changed that the queue of a worker may wait for.
    pub(crate) fn look_again(&self, worker: WorkerId) {
        self.parts().prompting.wake(worker);
    }

    /// Works on the queue of a worker, until it is empty.
    pub(super) fn drive(&self, worker: WorkerId) {
        let Some(woken) = self.parts().prompting.begin(worker) else { return };
        // It goes on when the request is over, so it is not the work of its token.
        let prompts = self.of(self.owner()).prompts();
        tokio::spawn(async move { prompts.work(worker, &woken).await });
    }

    async fn work(&self, worker: WorkerId, woken: &Notify) {
        let mut seen = Seen::default();
        loop {
            self.parts().prompting.look(worker);
            let next = match self.read(move |store| store.prompts(worker)).await {
                Ok(mut prompts) => {
                    prompts.retain(|prompt| !prompt.state.is_settled());
                    if prompts.is_empty() && self.parts().prompting.end(worker) {
                        return;
                    }
                    self.work_on(&prompts, &mut seen).await
                }
                Err(problem) if problem.code() == ErrorCode::NotFound => {
                    if self.parts().prompting.end(worker) {
                        return;
                    }
                    Ok(Next::Now)
                }
                Err(problem) => Err(problem),
            };
            let until = match next {
                Ok(Next::Now) => continue,
                Ok(Next::Wait(until)) => until,
                Err(problem) => {
                    let reason = problem.error.message;
                    tracing::debug!(worker.id = %worker, reason, "a prompt is tried again");
                    Some(Instant::now() + TRY_AGAIN)
                }
            };
            tokio::select! {
                () = woken.notified() => {}
                () = at(until) => {}
            }
        }
    }

    /// Does what can be done now for the first prompts of a queue.
    async fn work_on(&self, prompts: &[Prompt], seen: &mut Seen) -> Result<Next, Problem> {
        let mut latest: Option<Instant> = None;
        let mut is_about_to_start = false;
        for prompt in prompts {
            if let PromptState::Submitted { busy } = prompt.state {
                let standing = self.lives().get(prompt.worker);
                match seen.started(prompt.id, busy, standing.as_ref(), Instant::now()) {
                    Started::Yes => {
                        self.settle(prompt, PromptState::Started).await?;
                        return Ok(Next::Now);
                    }
                    Started::Never => {
                        let reason =
                            "the program took it, and no turn was seen to begin; look at its terminal";
                        self.settle(prompt, PromptState::Unknown { reason: reason.to_owned() }).await?;
                        return Ok(Next::Now);
                    }
                    Started::NotYet { at_latest } => {
                        is_about_to_start = true;
                        latest = [latest, at_latest].into_iter().flatten().min();
                    }
                }
            }
        }
        let is_head = |prompt: &&Prompt| prompt.state == PromptState::Queued || is_under_way(&prompt.state);
        let Some(head) = prompts.iter().find(is_head) else { return Ok(Next::Wait(latest)) };
        let activity = self.activity(head.worker);
        if is_under_way(&head.state) {
            return self.go_on_with(head, activity, seen).await;
        }
        let is_held = match activity {
            // The agent shows a prompt that it was sent before in a moment.
            Activity::Idle => is_about_to_start,
            _ => is_about_to_start && head.when_idle,
        };
        if is_held || waits_for(activity, head.when_idle).is_some() {
            return Ok(Next::Wait(latest));
        }
        self.deliver(head, activity == Activity::Active, seen).await
    }
}

/// Waits for a moment; forever, if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
