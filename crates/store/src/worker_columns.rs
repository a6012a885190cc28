//! A worker's kind and its life as columns, and back.

use model::{ExitStatus, WorkerLife};
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::columns::{Columns, json, unknown_word};
use crate::workers::WorkerKind;

/// What belongs to an agent.
#[derive(Serialize, Deserialize)]
struct AgentData<T> {
    agent: T,
}

/// What belongs to a kind of worker, as its column has it.
pub(crate) fn data(kind: &WorkerKind) -> String {
    match kind {
        WorkerKind::Terminal => "{}".to_owned(),
        WorkerKind::Agent { agent } => json(&AgentData { agent }),
    }
}

/// What belongs to a life, as its columns have it.
pub(crate) struct LifeColumns<'a> {
    pub(crate) exit_kind: Option<&'static str>,
    pub(crate) exit_value: Option<u8>,
    pub(crate) reason: Option<&'a str>,
}

impl LifeColumns<'_> {
    pub(crate) fn of(life: &WorkerLife) -> LifeColumns<'_> {
        let (exit_kind, exit_value) = match life {
            WorkerLife::Exited { status: ExitStatus::Exited { code } } => (Some("exited"), Some(*code)),
            WorkerLife::Exited { status: ExitStatus::Killed { signal } } => (Some("killed"), Some(*signal)),
            WorkerLife::Exited { status: ExitStatus::Unknown } => (Some("unknown"), None),
            _ => (None, None),
        };
        let reason = match life {
            WorkerLife::Failed { reason } | WorkerLife::Lost { reason } => Some(reason.as_str()),
            _ => None,
        };
        LifeColumns { exit_kind, exit_value, reason }
    }
}

pub(crate) fn kind(row: &Row<'_>) -> rusqlite::Result<WorkerKind> {
    Ok(match row.get_ref("kind")?.as_str()? {
        "terminal" => WorkerKind::Terminal,
        "agent" => {
            let AgentData { agent } = row.json("data")?;
            WorkerKind::Agent { agent }
        }
        other => return Err(unknown_word("kind of worker", other)),
    })
}

pub(crate) fn life(row: &Row<'_>) -> rusqlite::Result<WorkerLife> {
    Ok(match row.get_ref("life")?.as_str()? {
        "pending" => WorkerLife::Pending,
        "provisioning" => WorkerLife::Provisioning,
        "live" => WorkerLife::Live,
        "paused" => WorkerLife::Paused,
        "exited" => WorkerLife::Exited { status: status(row)? },
        "failed" => WorkerLife::Failed { reason: row.get("reason")? },
        "lost" => WorkerLife::Lost { reason: row.get("reason")? },
        other => return Err(unknown_word("life", other)),
    })
}

fn status(row: &Row<'_>) -> rusqlite::Result<ExitStatus> {
    Ok(match row.get_ref("exit_kind")?.as_str()? {
        "exited" => ExitStatus::Exited { code: row.get("exit_value")? },
        "killed" => ExitStatus::Killed { signal: row.get("exit_value")? },
        "unknown" => ExitStatus::Unknown,
        other => return Err(unknown_word("exit", other)),
    })
}
