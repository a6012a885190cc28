//! Prompts that are sent to workers.

use jiff::Timestamp;
use model::{PromptId, TokenId, WorkerId, WorkerLife};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, fresh_id, stamp, unknown_word};
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::store::{Reader, Store};
use crate::transaction::Tx;
use crate::worker_row;

/// How many prompts may be queued for a worker: more than a person reads through.
pub const MOST_QUEUED_PROMPTS: usize = 100;

/// How many settled prompts of a worker are kept, the newest: receipts of a day's work.
const MOST_SETTLED: usize = 100;

/// A prompt that is sent to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Which one.
    pub id: PromptId,
    /// The worker.
    pub worker: WorkerId,
    /// By this the sender recognises it when it sends it again.
    pub key: Option<String>,
    /// What is sent.
    pub text: String,
    /// Whether it waits until the agent is idle.
    pub when_idle: bool,
    /// Who sent it.
    pub sender: String,
    /// The token of the sender.
    pub token: TokenId,
    /// What has become of it.
    pub state: PromptState,
    /// When it was sent.
    pub created_at: Timestamp,
    /// Since when it is in that state.
    pub changed_at: Timestamp,
}

/// What has become of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptState {
    /// Nothing of it was typed.
    Queued,
    /// It is about to be pasted, and perhaps was.
    Pasting {
        /// Whether the agent worked when it was pasted.
        busy: bool,
    },
    /// It stands in the place to type.
    Pasted {
        /// Whether the agent worked when it was pasted.
        busy: bool,
    },
    /// It is about to be submitted, and perhaps was.
    Submitting {
        /// Whether the agent worked when it was pasted.
        busy: bool,
    },
    /// The program has taken it.
    Submitted {
        /// Whether the agent worked when it was pasted.
        busy: bool,
    },
    /// The agent's turn has begun.
    Started,
    /// It was not submitted.
    Failed {
        /// Why.
        reason: String,
    },
    /// It was taken out of the queue before anything of it was typed.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// A person has to look what became of it. It is never sent again.
    Unknown {
        /// Why.
        reason: String,
    },
}

impl PromptState {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            PromptState::Queued => "queued",
            PromptState::Pasting { .. } => "pasting",
            PromptState::Pasted { .. } => "pasted",
            PromptState::Submitting { .. } => "submitting",
            PromptState::Submitted { .. } => "submitted",
            PromptState::Started => "started",
            PromptState::Failed { .. } => "failed",
            PromptState::Cancelled { .. } => "cancelled",
            PromptState::Unknown { .. } => "unknown",
        }
    }

    /// Whether nothing more becomes of it.
    pub fn is_settled(&self) -> bool {
        match self {
            PromptState::Queued
            | PromptState::Pasting { .. }
            | PromptState::Pasted { .. }
            | PromptState::Submitting { .. }
            | PromptState::Submitted { .. } => false,
            PromptState::Started
            | PromptState::Failed { .. }
            | PromptState::Cancelled { .. }
            | PromptState::Unknown { .. } => true,
        }
    }

    fn busy(&self) -> bool {
        match self {
            PromptState::Pasting { busy }
            | PromptState::Pasted { busy }
            | PromptState::Submitting { busy }
            | PromptState::Submitted { busy } => *busy,
            _ => false,
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            PromptState::Failed { reason }
            | PromptState::Cancelled { reason }
            | PromptState::Unknown { reason } => Some(reason),
            _ => None,
        }
    }
}

/// A prompt to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPrompt {
    /// By this the sender recognises it when it sends it again.
    pub key: Option<String>,
    /// What is sent.
    pub text: String,
    /// Whether it waits until the agent is idle.
    pub when_idle: bool,
    /// Who sends it.
    pub sender: String,
    /// The token of the sender.
    pub token: TokenId,
}

impl Reader {
    /// The prompts of a worker, in their order.
    ///
    /// # Errors
    ///
    /// When the worker is not there.
    pub fn prompts(&self, worker: WorkerId) -> Result<Vec<Prompt>, StoreError> {
        self.read(|tx| {
            worker_row::find(tx, worker)?;
            of_worker(tx, worker)
        })
    }

    /// One prompt.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn prompt(&self, id: PromptId) -> Result<Prompt, StoreError> {
        self.read(|tx| find(tx, id))
    }

    /// The workers that have prompts of which more may become.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn workers_with_prompts(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.read(|tx| {
            let sql = "SELECT DISTINCT worker_id FROM prompts WHERE owner = ?1
                       AND state IN ('queued', 'pasting', 'pasted', 'submitting', 'submitted') ORDER BY worker_id";
            let mut workers = tx.prepare_cached(sql)?;
            Ok(workers.query_map([tx.owner()], |row| row.word("worker_id"))?.collect::<Result<_, _>>()?)
        })
    }
}

impl Store {
    /// Queues a prompt behind those that the worker has. A prompt that was sent before with the same key is not queued
    /// again: it is returned as it is now.
    ///
    /// # Errors
    ///
    /// When the worker is not there or has ended, when the key belongs to another text, or when the queue is full.
    pub fn add_prompt(
        &self,
        worker: WorkerId,
        new: &NewPrompt,
        now: Timestamp,
    ) -> Result<Prompt, StoreError> {
        self.write(|tx| {
            let life = worker_row::find(tx, worker)?.life;
            if let Some(key) = &new.key
                && let Some((known, sent)) = with_key(tx, worker, key)?
            {
                return if sent == new.text {
                    Ok(known)
                } else {
                    Err(Conflict::OtherPrompt(known.id).into())
                };
            }
            if !life.is_open() {
                let (what, is) = (Object::Worker(worker), life.as_str());
                return Err(StoreError::WrongState { what, is, step: "sent a prompt" });
            }
            let all = of_worker(tx, worker)?;
            if all.iter().filter(|prompt| prompt.state == PromptState::Queued).count() >= MOST_QUEUED_PROMPTS
            {
                return Err(Conflict::QueueFull.into());
            }
            let settled: Vec<_> = all.iter().filter(|prompt| prompt.state.is_settled()).collect();
            for old in &settled[..settled.len().saturating_sub(MOST_SETTLED - 1)] {
                let sql = "DELETE FROM prompts WHERE id = ?1 AND owner = ?2";
                tx.prepare_cached(sql)?.execute([old.id.as_str(), tx.owner()])?;
            }
            let id = fresh_id(tx, "prompts", PromptId::from_random)?;
            let sql =
                "INSERT INTO prompts (id, worker_id, position, key, text, when_idle, sender, token_id, state,
                                            created_at, changed_at, owner)
                       SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, ?4, ?5, ?6, ?7, 'queued', ?8, ?8, ?9
                       FROM prompts WHERE worker_id = ?2 AND owner = ?9";
            tx.prepare_cached(sql)?.execute(params![
                id.as_str(),
                worker.as_str(),
                new.key,
                new.text,
                new.when_idle,
                new.sender,
                new.token.as_str(),
                stamp(now),
                tx.owner(),
            ])?;
            find(tx, id)
        })
    }

    /// Changes a prompt that is queued.
    ///
    /// # Errors
    ///
    /// When it is not there, or not queued any more.
    pub fn edit_prompt(&self, id: PromptId, text: &str, when_idle: bool) -> Result<Prompt, StoreError> {
        self.write(|tx| {
            must_be_queued(&find(tx, id)?, "edited")?;
            let sql = "UPDATE prompts SET sent_text = coalesce(sent_text, text), text = ?2, when_idle = ?3
                       WHERE id = ?1 AND owner = ?4";
            tx.prepare_cached(sql)?.execute(params![id.as_str(), text, when_idle, tx.owner()])?;
            find(tx, id)
        })
    }

    /// Takes a prompt out of the queue.
    ///
    /// # Errors
    ///
    /// When it is not there, or not queued any more.
    pub fn cancel_prompt(&self, id: PromptId, reason: &str, now: Timestamp) -> Result<Prompt, StoreError> {
        self.write(|tx| {
            must_be_queued(&find(tx, id)?, "removed")?;
            set(tx, id, &PromptState::Cancelled { reason: reason.to_owned() }, now)?;
            find(tx, id)
        })
    }

    /// Takes all prompts of a worker out of its queue. Says how many there were.
    ///
    /// # Errors
    ///
    /// When the worker is not there.
    pub fn empty_prompts(&self, worker: WorkerId, reason: &str, now: Timestamp) -> Result<usize, StoreError> {
        self.write(|tx| {
            worker_row::find(tx, worker)?;
            cancel_queued(tx, worker, reason, now)
        })
    }

    /// Takes all prompts that were sent with a token out of their queues.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn cancel_prompts_of_token(
        &self,
        token: TokenId,
        reason: &str,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        self.write(|tx| {
            let sql = "UPDATE prompts SET state = 'cancelled', reason = ?2, changed_at = ?3
                       WHERE token_id = ?1 AND owner = ?4 AND state = 'queued'";
            Ok(tx.prepare_cached(sql)?.execute((token.as_str(), reason, stamp(now), tx.owner()))?)
        })
    }

    /// A prompt goes from one state to another.
    ///
    /// # Errors
    ///
    /// When it is not there, or in another state.
    pub fn prompt_step(
        &self,
        id: PromptId,
        from: &PromptState,
        to: &PromptState,
        now: Timestamp,
    ) -> Result<Prompt, StoreError> {
        self.write(|tx| {
            let state = find(tx, id)?.state;
            if state != *from {
                let (what, is) = (Object::Prompt(id), state.as_str());
                return Err(StoreError::WrongState { what, is, step: to.as_str() });
            }
            set(tx, id, to, now)?;
            find(tx, id)
        })
    }
}

/// A worker that has ended gets no prompt any more.
pub(crate) fn note_life(
    tx: &Tx<'_>,
    worker: WorkerId,
    life: &WorkerLife,
    now: Timestamp,
) -> Result<(), StoreError> {
    if life.is_open() {
        return Ok(());
    }
    cancel_queued(tx, worker, "the worker has ended", now)?;
    for prompt in of_worker(tx, worker)? {
        let unknown = |reason: &str| PromptState::Unknown { reason: reason.to_owned() };
        let state = match prompt.state {
            PromptState::Pasting { .. } => unknown("the worker ended while it was pasted"),
            PromptState::Pasted { .. } => {
                PromptState::Failed { reason: "the worker ended before it was submitted".to_owned() }
            }
            PromptState::Submitting { .. } | PromptState::Submitted { .. } => {
                unknown("the worker ended before a turn was seen to begin")
            }
            _ => continue,
        };
        set(tx, prompt.id, &state, now)?;
    }
    Ok(())
}

fn cancel_queued(tx: &Tx<'_>, worker: WorkerId, reason: &str, now: Timestamp) -> Result<usize, StoreError> {
    let sql = "UPDATE prompts SET state = 'cancelled', reason = ?2, changed_at = ?3
               WHERE worker_id = ?1 AND owner = ?4 AND state = 'queued'";
    Ok(tx.prepare_cached(sql)?.execute((worker.as_str(), reason, stamp(now), tx.owner()))?)
}

fn must_be_queued(prompt: &Prompt, step: &'static str) -> Result<(), StoreError> {
    match prompt.state {
        PromptState::Queued => Ok(()),
        _ => {
            let (what, is) = (Object::Prompt(prompt.id), prompt.state.as_str());
            Err(StoreError::WrongState { what, is, step })
        }
    }
}

fn set(tx: &Tx<'_>, id: PromptId, state: &PromptState, now: Timestamp) -> Result<(), StoreError> {
    let sql =
        "UPDATE prompts SET state = ?2, busy = ?3, reason = ?4, changed_at = ?5 WHERE id = ?1 AND owner = ?6";
    let (busy, reason) = (state.busy(), state.reason());
    tx.prepare_cached(sql)?.execute(params![
        id.as_str(),
        state.as_str(),
        busy,
        reason,
        stamp(now),
        tx.owner()
    ])?;
    Ok(())
}

fn of_worker(tx: &Tx<'_>, worker: WorkerId) -> Result<Vec<Prompt>, StoreError> {
    let sql = "SELECT * FROM prompts WHERE worker_id = ?1 AND owner = ?2 ORDER BY position";
    let mut prompts = tx.prepare_cached(sql)?;
    Ok(prompts.query_map([worker.as_str(), tx.owner()], from_row)?.collect::<Result<_, _>>()?)
}

/// The prompt with a key, and the text that it was sent with.
fn with_key(tx: &Tx<'_>, worker: WorkerId, key: &str) -> Result<Option<(Prompt, String)>, StoreError> {
    let sql = "SELECT *, coalesce(sent_text, text) AS sent FROM prompts
               WHERE worker_id = ?1 AND key = ?2 AND owner = ?3";
    let read = |row: &Row<'_>| Ok((from_row(row)?, row.get("sent")?));
    Ok(tx.prepare_cached(sql)?.query_row([worker.as_str(), key, tx.owner()], read).optional()?)
}

fn find(tx: &Tx<'_>, id: PromptId) -> Result<Prompt, StoreError> {
    tx.prepare_cached("SELECT * FROM prompts WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Prompt(id) })
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Prompt> {
    Ok(Prompt {
        id: row.word("id")?,
        worker: row.word("worker_id")?,
        key: row.get("key")?,
        text: row.get("text")?,
        when_idle: row.get("when_idle")?,
        sender: row.get("sender")?,
        token: row.word("token_id")?,
        state: state(row)?,
        created_at: row.word("created_at")?,
        changed_at: row.word("changed_at")?,
    })
}

fn state(row: &Row<'_>) -> rusqlite::Result<PromptState> {
    let busy = row.get("busy")?;
    let reason = || row.get::<_, Option<String>>("reason").map(Option::unwrap_or_default);
    let word: String = row.get("state")?;
    Ok(match word.as_str() {
        "queued" => PromptState::Queued,
        "pasting" => PromptState::Pasting { busy },
        "pasted" => PromptState::Pasted { busy },
        "submitting" => PromptState::Submitting { busy },
        "submitted" => PromptState::Submitted { busy },
        "started" => PromptState::Started,
        "failed" => PromptState::Failed { reason: reason()? },
        "cancelled" => PromptState::Cancelled { reason: reason()? },
        "unknown" => PromptState::Unknown { reason: reason()? },
        other => return Err(unknown_word("state of a prompt", other)),
    })
}
