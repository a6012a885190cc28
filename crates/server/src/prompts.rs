//! The room of prompts: a queue for each worker, and receipts for what was sent.

mod deliver;
mod evidence;
mod queue;
mod settle;

use api::{ErrorCode, Problem, PromptWaitsFor};
use jiff::Timestamp;
use model::{Activity, PromptId, TokenId, WorkerId};
use store::{NewPrompt, Prompt, PromptState, Store};

use crate::rooms::Prompts;
use crate::texts;
use crate::tokens::Principal;

pub(crate) use queue::Prompting;

/// A person does not send one prompt to more workers.
const MOST_WORKERS: usize = 100;

impl Prompts {
    /// The prompts of a worker in their order, also those of which nothing more becomes.
    pub(crate) async fn list(&self, worker: WorkerId) -> Result<Vec<api::Prompt>, Problem> {
        let prompts = self.read(move |store| store.prompts(worker)).await?;
        let activity = self.activity(worker);
        let mut is_first = true;
        let shown = prompts.into_iter().map(|prompt| {
            let is_behind = !is_first;
            is_first &= !is_under_way(&prompt.state) && prompt.state != PromptState::Queued;
            view(prompt, activity, is_behind)
        });
        Ok(shown.collect())
    }

    /// One prompt.
    pub(crate) async fn get(&self, id: PromptId) -> Result<api::Prompt, Problem> {
        let worker = self.read(move |store| store.prompt(id)).await?.worker;
        let found = self.list(worker).await?.into_iter().find(|prompt| prompt.id == id);
        found.ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no prompt `{id}`")))
    }

    /// Queues a prompt for a worker.
    pub(crate) async fn send(
        &self,
        who: &Principal,
        worker: WorkerId,
        asked: api::SendPrompt,
    ) -> Result<api::Prompt, Problem> {
        // A worker that is not there is told before a text that is not right.
        self.read(move |store| store.worker(worker)).await?;
        let new = NewPrompt {
            key: asked.key.map(|key| texts::line("key", &key)).transpose()?,
            text: text(&asked.text)?,
            when_idle: asked.when_idle,
            sender: who.actor.clone(),
            token: who.token,
        };
        let now = Timestamp::now();
        let prompt = self.step(move |store| store.add_prompt(worker, &new, now)).await?;
        let is_new = prompt.created_at == now;
        let id = prompt.id;
        if is_new {
            self.access().record(who, "worker.prompt", worker, Some(id.to_string())).await;
        }
        self.drive(worker);
        self.get(id).await
    }

    /// Queues a prompt for several workers. What is refused for one is queued for the others.
    pub(crate) async fn send_to_many(
        &self,
        who: &Principal,
        asked: api::SendPrompts,
    ) -> Result<Vec<api::SentPrompt>, Problem> {
        let api::SendPrompts { mut worker_ids, text, when_idle, key } = asked;
        worker_ids.sort_unstable();
        worker_ids.dedup();
        if worker_ids.is_empty() || worker_ids.len() > MOST_WORKERS {
            let words = format!("name 1 to {MOST_WORKERS} workers");
            return Err(Problem::new(ErrorCode::InvalidBody, words));
        }
        let mut sent = Vec::with_capacity(worker_ids.len());
        for worker in worker_ids {
            let asked = api::SendPrompt { text: text.clone(), when_idle, key: key.clone() };
            sent.push(match self.send(who, worker, asked).await {
                Ok(prompt) => api::SentPrompt { worker_id: worker, prompt: Some(prompt), error: None },
                Err(problem) => {
                    api::SentPrompt { worker_id: worker, prompt: None, error: Some(problem.error) }
                }
            });
        }
        Ok(sent)
    }

    /// Changes a prompt that is queued.
    pub(crate) async fn edit(
        &self,
        who: &Principal,
        worker: WorkerId,
        id: PromptId,
        change: api::EditPrompt,
    ) -> Result<api::Prompt, Problem> {
        let known = self.of_worker(worker, id).await?;
        let new_text = change.text.as_deref().map(text).transpose()?.unwrap_or(known.text);
        let when_idle = change.when_idle.unwrap_or(known.when_idle);
        self.step(move |store| store.edit_prompt(id, &new_text, when_idle)).await.map_err(too_late)?;
        self.access().record(who, "worker.prompt-edit", worker, Some(id.to_string())).await;
        self.drive(worker);
        self.get(id).await
    }

    /// Takes a prompt out of the queue.
    pub(crate) async fn remove(
        &self,
        who: &Principal,
        worker: WorkerId,
        id: PromptId,
    ) -> Result<(), Problem> {
        self.of_worker(worker, id).await?;
        let reason = format!("removed by {}", who.actor);
        let removed = self.step(move |store| store.cancel_prompt(id, &reason, Timestamp::now())).await;
        removed.map_err(too_late)?;
        self.access().record(who, "worker.prompt-remove", worker, Some(id.to_string())).await;
        self.look_again(worker);
        Ok(())
    }

    /// Takes all prompts out of a worker's queue.
    pub(crate) async fn empty(&self, who: &Principal, worker: WorkerId) -> Result<(), Problem> {
        let reason = format!("removed by {}", who.actor);
        let removed = self.step(move |store| store.empty_prompts(worker, &reason, Timestamp::now())).await?;
        if removed > 0 {
            let detail = Some(format!("{removed} prompts"));
            self.access().record(who, "worker.prompt-remove", worker, detail).await;
        }
        self.look_again(worker);
        Ok(())
    }

    /// A token was taken back: what it sent and is queued is not delivered.
    pub(crate) async fn cancel_of_token(&self, token: TokenId) {
        let cancelled = self.happened(move |store: &Store| {
            store.cancel_prompts_of_token(token, "the token of its sender was taken back", Timestamp::now())
        });
        if let Err(problem) = cancelled.until_written().await {
            tracing::warn!(token.id = %token, reason = problem.error.message, "its prompts stay queued");
        }
    }

    /// A prompt of this worker.
    async fn of_worker(&self, worker: WorkerId, id: PromptId) -> Result<Prompt, Problem> {
        let prompt = self.read(move |store| store.prompt(id)).await?;
        if prompt.worker != worker {
            return Err(Problem::new(ErrorCode::NotFound, format!("there is no prompt `{id}`")));
        }
        Ok(prompt)
    }

    /// What a worker is doing, if its host answers.
    fn activity(&self, worker: WorkerId) -> Activity {
        let live = self.lives().get(worker).filter(|live| !live.not_answering);
        live.map(|live| live.activity()).unwrap_or_default()
    }
}

/// Whether a prompt is between the first typed byte and the last.
fn is_under_way(state: &PromptState) -> bool {
    matches!(state, PromptState::Pasting { .. } | PromptState::Pasted { .. } | PromptState::Submitting { .. })
}

fn too_late(problem: Problem) -> Problem {
    match problem.code() {
        ErrorCode::WrongState => problem.hint("only a prompt that is queued can be changed or removed"),
        _ => problem,
    }
}

fn text(given: &str) -> Result<String, Problem> {
    let text = texts::prompt(given)?;
    text.ok_or_else(|| Problem::new(ErrorCode::BadText, "the prompt is empty").hint("give it a text"))
}

/// What the activity of a worker makes a prompt wait for.
fn waits_for(activity: Activity, when_idle: bool) -> Option<PromptWaitsFor> {
    match activity {
        Activity::Idle => None,
        Activity::Active => when_idle.then_some(PromptWaitsFor::Idle),
        Activity::Asking => Some(PromptWaitsFor::Answer),
        Activity::Unknown => Some(PromptWaitsFor::Activity),
    }
}

fn view(prompt: Prompt, activity: Activity, is_behind: bool) -> api::Prompt {
    use api::PromptState as Shown;
    let state = match prompt.state {
        PromptState::Queued if is_behind => Shown::Queued { waits_for: Some(PromptWaitsFor::Earlier) },
        PromptState::Queued => Shown::Queued { waits_for: waits_for(activity, prompt.when_idle) },
        PromptState::Pasting { .. } => Shown::Pasting,
        PromptState::Pasted { .. } => Shown::Pasted,
        PromptState::Submitting { .. } => Shown::Submitting,
        PromptState::Submitted { .. } => Shown::Submitted,
        PromptState::Started => Shown::Started,
        PromptState::Failed { reason } => Shown::Failed { reason },
        PromptState::Cancelled { reason } => Shown::Cancelled { reason },
        PromptState::Unknown { reason } => Shown::Unknown { reason },
    };
    api::Prompt {
        id: prompt.id,
        worker_id: prompt.worker,
        key: prompt.key,
        text: prompt.text,
        when_idle: prompt.when_idle,
        sender: prompt.sender,
        created_at: prompt.created_at,
        state,
        changed_at: prompt.changed_at,
    }
}
