//! Sessions as their workers' directories and hosts tell of them, where no server runs.

use std::collections::BTreeMap;

use api::{Activity, Session, SessionActivity, SessionKind, Worker, WorkerKind, WorkerState};
use home::Home;
use model::SessionId;
use reading::{Exit, Masks};
use viewer::reach::Condition;

use crate::commands::ls::with_life;
use crate::failure::Failure;

/// Why a worker is lost. Only a server could tell more.
const NO_HOST: &str = "it has no host";

/// The sessions that have workers, oldest first. Titles, tasks and sessions without workers are in the server's database
/// alone. Sessions without a worktree and without a living worker are over.
pub(super) fn sessions(home: &Home) -> Result<Vec<Session>, Failure> {
    let mut sessions: BTreeMap<SessionId, Session> = BTreeMap::new();
    let (masks, _) = Masks::read_at_least(home);
    for (found, condition) in with_life(home)? {
        let worker = worker(&found, &condition, &Exit::of(&masks, &found.dir));
        let session = sessions.entry(worker.session_id).or_insert_with(|| session(&found));
        session.created_at = session.created_at.min(worker.created_at);
        if is_live(&worker) {
            session.status = SessionActivity::Active;
        }
        session.workers.push(worker);
    }
    let is_over = |session: &Session| {
        let is_in_worktree = matches!(session.kind, SessionKind::Worktree { .. });
        is_in_worktree && session.location_missing && !session.workers.iter().any(is_live)
    };
    let mut sessions: Vec<Session> = sessions.into_values().filter(|session| !is_over(session)).collect();
    sessions.sort_by_key(|session| session.created_at);
    Ok(sessions)
}

fn is_live(worker: &Worker) -> bool {
    matches!(worker.state, WorkerState::Live | WorkerState::NotAnswering)
}

fn session(found: &home::Worker) -> Session {
    let meta = &found.meta;
    let (kind, task_id) = match meta.session.clone() {
        home::Session::Quick { .. } => (SessionKind::Quick, None),
        home::Session::Worktree { repository, worktree, branch, task, .. } => {
            let kind = SessionKind::Worktree { repository_id: repository, worktree_id: worktree, branch };
            (kind, task)
        }
    };
    Session {
        id: meta.session.id(),
        kind,
        location_path: meta.cwd.to_string_lossy().into_owned(),
        shown_location: model::display_safe(&meta.cwd.to_string_lossy()),
        location_missing: !meta.cwd.is_dir(),
        title: None,
        status: SessionActivity::Inactive,
        task_id,
        notices: Vec::new(),
        created_at: meta.started_at,
        workers: Vec::new(),
    }
}

fn worker(found: &home::Worker, condition: &Condition, exit: &Exit) -> Worker {
    let meta = &found.meta;
    let report = match condition {
        Condition::Live(report) => Some(report),
        Condition::NotAnswering { .. } | Condition::Exited(_) | Condition::Lost => None,
    };
    let exited = |status: model::ExitStatus| WorkerState::Exited {
        exit_code: status.code(),
        signal: match status {
            model::ExitStatus::Killed { signal } => Some(signal),
            model::ExitStatus::Exited { .. } | model::ExitStatus::Unknown => None,
        },
    };
    let (state, ended_at) = match condition {
        Condition::Live(report) => match report.state {
            protocol::ChildState::Exited { status, at } => (exited(status), Some(at)),
            protocol::ChildState::Live | protocol::ChildState::Ending => (WorkerState::Live, None),
        },
        Condition::NotAnswering { .. } => (WorkerState::NotAnswering, None),
        Condition::Exited(note) => (exited(note.status), Some(note.at)),
        Condition::Lost => (WorkerState::Lost { reason: NO_HOST.to_owned() }, None),
    };
    Worker {
        id: meta.worker,
        session_id: meta.session.id(),
        kind: match &meta.agent {
            Some(agent) => WorkerKind::Agent { agent_id: agent.clone() },
            None => WorkerKind::Terminal,
        },
        name: meta.name.to_string(),
        handle: Some(meta.name.to_string()),
        state,
        activity: Activity::Unknown,
        activity_since: None,
        runs_agent: None,
        asking: None,
        question: None,
        turn: None,
        title: report.map(|report| exit.show(&report.program.title)).filter(|title| !title.is_empty()),
        cwd: None,
        created_at: meta.started_at,
        started_at: Some(meta.started_at),
        ended_at,
        viewers: report.map_or(0, |report| u32::try_from(report.viewers.len()).unwrap_or(u32::MAX)),
    }
}
