//! The API's types, made from the database's structs and the facts that hosts report.

use std::path::Path;

use api::{SessionActivity, WorkerState};
use jiff::{SignedDuration, Timestamp};
use model::{SessionId, WorkerLife};
use store::{Reader, SessionWithWorkers, StoreError, WorktreePlace};

use crate::live::Lives;
use crate::node::Node;

/// A removed worktree can be taken back for this long.
pub(crate) const TRASH_KEPT: SignedDuration = SignedDuration::from_hours(14 * 24);

pub(crate) fn repository(repository: &store::Repository) -> api::Repository {
    api::Repository {
        id: repository.id,
        path: exact(&repository.path),
        shown_path: text(&repository.path),
        name: model::display_safe(&repository.name),
        created_at: repository.created_at,
    }
}

/// A worktree; `None` for one that is gone for good.
pub(crate) fn worktree(worktree: &store::Worktree, sessions: Vec<SessionId>) -> Option<api::Worktree> {
    use api::WorktreeState;
    let (state, note, expires_at) = match &worktree.place {
        WorktreePlace::Making => (WorktreeState::Making, None, None),
        WorktreePlace::Ready => (WorktreeState::Ready, None, None),
        WorktreePlace::Missing { .. } => (WorktreeState::Missing, None, None),
        WorktreePlace::Kept { reason } => (WorktreeState::Kept, Some(reason.words().to_owned()), None),
        WorktreePlace::Trashed { at, .. } => (WorktreeState::Trashed, None, Some(trash_expires(*at))),
        WorktreePlace::Gone { .. } => return None,
    };
    Some(api::Worktree {
        id: worktree.id,
        repository_id: worktree.repository,
        path: exact(&worktree.path),
        shown_path: text(&worktree.path),
        branch: model::display_safe(&worktree.branch),
        state,
        note,
        session_ids: sessions,
        created_at: worktree.created_at,
        expires_at,
    })
}

pub(crate) fn trash_expires(at: Timestamp) -> Timestamp {
    at.checked_add(TRASH_KEPT).unwrap_or(Timestamp::MAX)
}

/// A session with its workers.
pub(crate) fn session(
    found: &SessionWithWorkers,
    worktree: Option<&store::Worktree>,
    node: &Node,
    lives: &Lives,
) -> api::Session {
    let session = &found.session;
    let is_open = found.workers.iter().any(|worker| worker.life.is_open());
    api::Session {
        id: session.id,
        kind: match session.kind {
            store::SessionKind::Quick => api::SessionKind::Quick,
            store::SessionKind::Worktree { repository, worktree: id } => api::SessionKind::Worktree {
                repository_id: repository,
                worktree_id: id,
                branch: worktree.map_or_else(String::new, |worktree| model::display_safe(&worktree.branch)),
            },
        },
        location_path: exact(&session.location),
        shown_location: text(&session.location),
        location_missing: !node.is_directory(&session.location),
        title: session.title.clone(),
        status: if is_open { SessionActivity::Active } else { SessionActivity::Inactive },
        task_id: session.task,
        notices: session.notices.clone(),
        created_at: session.created_at,
        workers: found.workers.iter().map(|each| worker(each, lives)).collect(),
    }
}

/// A worker, with the facts that its host reports.
pub(crate) fn worker(worker: &store::Worker, lives: &Lives) -> api::Worker {
    let live = lives.get(worker.id).filter(|_| worker.life == WorkerLife::Live);
    let state = match &live {
        Some(live) if live.not_answering => WorkerState::NotAnswering,
        _ => worker.life.clone().into(),
    };
    let live = live.unwrap_or_default();
    api::Worker {
        id: worker.id,
        session_id: worker.session,
        kind: match &worker.kind {
            store::WorkerKind::Terminal => api::WorkerKind::Terminal,
            store::WorkerKind::Agent { agent } => api::WorkerKind::Agent { agent_id: agent.clone() },
        },
        name: worker.name.clone(),
        handle: lives.handle(worker.id).map(|handle| handle.to_string()),
        state,
        activity: live.activity(),
        activity_since: live.standing.since,
        runs_agent: live.runs_agent.clone(),
        asking: live.asking().cloned(),
        question: live.standing.question.clone(),
        turn: live.turn.clone(),
        title: live.title.clone(),
        cwd: lives.cwd(worker.id, &live),
        created_at: worker.created_at,
        started_at: worker.started_at,
        ended_at: worker.ended_at,
        viewers: u32::try_from(live.viewers.len()).unwrap_or(u32::MAX),
    }
}

/// A task, with the fields of its session.
pub(crate) fn task(store: &Reader, task: &store::Task, lives: &Lives) -> Result<api::Task, StoreError> {
    let found = task.session.map(|session| store.session_with_workers(session)).transpose()?;
    let worktree = found.as_ref().and_then(|found| match found.session.kind {
        store::SessionKind::Worktree { worktree, .. } => Some(worktree),
        store::SessionKind::Quick => None,
    });
    let worktree = worktree.map(|worktree| store.worktree(worktree)).transpose()?;
    let primary = found.as_ref().and_then(|found| found.workers.iter().find(|worker| worker.primary));
    let status = primary.map(|worker| {
        let activity = lives.get(worker.id).map(|live| live.activity()).unwrap_or_default();
        model::SessionStatus::of(&worker.life, activity)
    });
    Ok(api::Task {
        id: task.id,
        project_id: task.repository,
        title: task.title.clone(),
        description: task.description.clone(),
        pinned: task.pinned,
        status: task.state,
        agent_id: task.agent.clone(),
        session_id: task.session,
        worker_id: primary.map(|worker| worker.id),
        session_status: status,
        worktree_path: worktree.as_ref().map(|worktree| exact(&worktree.path)),
        shown_worktree_path: worktree.as_ref().map(|worktree| text(&worktree.path)),
        branch: worktree.as_ref().map(|worktree| model::display_safe(&worktree.branch)),
        session_started_at: task.session_started_at,
        session_error: primary.and_then(|worker| error(&worker.life)),
        position: task.position,
        created_at: task.created_at,
    })
}

/// Why a worker's end counts as a failure.
pub(crate) fn error(life: &WorkerLife) -> Option<String> {
    match life {
        WorkerLife::Failed { reason } | WorkerLife::Lost { reason } => Some(reason.clone()),
        WorkerLife::Exited { status } if !status.is_success() => Some(status.to_string()),
        _ => None,
    }
}

pub(crate) fn session_log(log: store::SessionLog) -> api::SessionLog {
    api::SessionLog {
        id: log.id,
        task_id: log.task,
        started_at: log.started_at,
        ended_at: log.ended_at,
        exit_status: match log.exit {
            store::LogExit::Done => api::LogExit::Done,
            store::LogExit::Failed => api::LogExit::Failed,
        },
        error: log.error,
        worker_id: log.worker,
        kept_worktree: log.kept_worktree.as_deref().map(exact),
    }
}

/// A path as people are shown it.
pub(crate) fn text(path: &Path) -> String {
    model::display_safe(&path.to_string_lossy())
}

/// A path as programs need it. Bytes that are not UTF-8 are replaced: a user cannot type them anyway.
pub(crate) fn exact(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => model::display_safe(&path.to_string_lossy()),
    }
}
