//! Settles the worktrees that the last server left, and adopts those that the database does not know.

use std::collections::HashSet;
use std::path::PathBuf;

use jiff::Timestamp;
use model::{SessionId, WorktreeId};
use store::{AdoptedWorktree, NewWorktree, SessionKind, Store, StoreError, Trash, Worktree, WorktreePlace};

use crate::app::App;
use crate::node::{FoundWorktree, Node, TrashedWorktree};

/// Lets git complete or undo its unfinished operations, and writes down where each worktree is. Adopts the worktrees that
/// only the disk knows, and closes the sessions that were new to the database and are over.
pub(super) async fn settle_worktrees(app: &App, new_sessions: &HashSet<SessionId>) {
    // Read before git is waited for: worktrees that a request makes meanwhile are not settled here.
    let Ok(known) = app.read(|store| store.worktrees(None)).await else { return };
    if let Ok(finished) = app.node().finish_git_operations().await {
        for each in finished {
            tracing::info!(?each, "a worktree was seen to that was left half done");
        }
    }
    app.faults().before_settling().await;
    let ids: HashSet<WorktreeId> = known.iter().map(|worktree| worktree.id).collect();
    for worktree in known {
        settle(app, worktree).await;
    }
    for id in app.node().made_worktrees().await.into_iter().filter(|id| !ids.contains(id)) {
        adopt(app, id, false).await;
    }
    for id in app.node().trashed_worktrees().await.into_iter().filter(|id| !ids.contains(id)) {
        adopt(app, id, true).await;
    }
    for session in new_sessions {
        close_if_over(app, *session).await;
    }
}

/// Writes down where a worktree is.
async fn settle(app: &App, worktree: Worktree) {
    let id = worktree.id;
    let (is_there, is_trashed) = (app.node().is_directory(&worktree.path), app.node().is_trashed(id));
    let was = match worktree.place {
        WorktreePlace::Trashed { .. } | WorktreePlace::Gone { .. } => None,
        _ if is_there || !is_trashed => None,
        _ => app.node().trashed_worktree(id).await.ok(),
    };
    let trash = app.node().trash_path(id);
    let settled = app.happened(move |store: &Store| match worktree.place {
        WorktreePlace::Making if is_there => store.worktree_ready(id, None).map(|_| ()),
        WorktreePlace::Making => store.worktree_gone(id, Timestamp::now()).map(|_| ()),
        WorktreePlace::Ready | WorktreePlace::Kept { .. } | WorktreePlace::Missing { .. }
            if !is_there && is_trashed =>
        {
            let at = was.as_ref().map_or_else(Timestamp::now, |was| was.at);
            let (head, branch) = was.map_or((None, Some(worktree.branch)), |was| (was.head, was.branch));
            store.trash_worktree(id, Trash { path: trash, head, branch }, at).map(|_| ())
        }
        WorktreePlace::Trashed { .. } if is_there && !is_trashed => store.take_back_worktree(id).map(|_| ()),
        _ => Ok(()),
    });
    if let Err(problem) = settled.once().await {
        tracing::warn!(worktree.id = %id, reason = problem.error.message, "a worktree is not settled");
    }
}

/// Adopts a worktree that the database does not know.
async fn adopt(app: &App, id: WorktreeId, is_trashed: bool) {
    let found = match app.node().found_worktree(id, is_trashed).await {
        Ok(found) => found,
        Err(problem) => {
            let reason = problem.error.message;
            tracing::warn!(worktree.id = %id, reason, "a directory stays that is no worktree we know");
            return;
        }
    };
    let FoundWorktree { repository, path, branch, made_by_abide, created_at, trash } = found;
    let trashed = |TrashedWorktree { path, head, branch, at }| (Trash { path, head, branch }, at);
    let adopted = AdoptedWorktree {
        worktree: NewWorktree { id, path, branch, base_commit: None, made_by_abide },
        repository_path: repository,
        trash: trash.map(trashed),
        created_at,
    };
    if let Err(problem) = app.happened(move |store: &Store| store.adopt_worktree(&adopted)).once().await {
        tracing::warn!(worktree.id = %id, reason = problem.error.message, "a worktree is not taken up");
    }
}

/// Closes a session that was made anew from its workers, if all workers have ended and its worktree is in the trash or
/// gone. So an archived session stays archived.
async fn close_if_over(app: &App, id: SessionId) {
    let node = app.node().clone();
    let closed = match app.happened(move |store: &Store| close(store, &node, id)).once().await {
        Ok(closed) => closed,
        Err(problem) => {
            tracing::warn!(session.id = %id, reason = problem.error.message, "a session stays open");
            return;
        }
    };
    let Some((worktree, repository)) = closed else { return };
    if !matches!(worktree.place, WorktreePlace::Ready) {
        return;
    }
    // If git does not list the directory either, it is not missing, but gone.
    let Ok(listed) = app.node().git(move |git| git.worktrees(&repository)).await else { return };
    let name = worktree.path.file_name();
    if !listed.iter().any(|listed| listed.path.file_name() == name) {
        let _ = app
            .happened(move |store: &Store| store.worktree_gone(worktree.id, Timestamp::now()))
            .once()
            .await;
    }
}

/// Closes the session, and returns its worktree with the path of the repository.
fn close(store: &Store, node: &Node, id: SessionId) -> Result<Option<(Worktree, PathBuf)>, StoreError> {
    let found = store.session_with_workers(id)?;
    let SessionKind::Worktree { worktree, repository } = found.session.kind else { return Ok(None) };
    let worktree = store.worktree(worktree)?;
    let is_lived_in = found.workers.iter().any(|worker| worker.life.is_open());
    let is_gone = match worktree.place {
        WorktreePlace::Trashed { .. } | WorktreePlace::Gone { .. } => true,
        _ => !node.is_directory(&worktree.path),
    };
    if is_lived_in || !is_gone || found.session.closed_at.is_some() {
        return Ok(None);
    }
    let ended_at = found.workers.iter().filter_map(|worker| worker.ended_at).max();
    store.close_session(id, ended_at.unwrap_or_else(Timestamp::now))?;
    Ok(Some((worktree, store.repository(repository)?.path)))
}
