//! Worktrees that the last server left: settled, and those that the database does not know taken up from disk.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use git::{Git, GitError};
use jiff::Timestamp;
use model::{SessionId, WorktreeId};
use store::{AdoptedWorktree, NewWorktree, SessionKind, Store, StoreError, Trash, Worktree, WorktreePlace};

use crate::app::{App, blocking};
use crate::changes::Changed;

/// Has git complete or undo what was being done to worktrees, and writes down what came of it. Worktrees that only the
/// disk knows are taken up, and of the sessions that were new to the database those are closed that were over.
pub(super) async fn settle_worktrees(app: &App, new_sessions: &HashSet<SessionId>) {
    // Read before git is waited for: what somebody begins meanwhile is theirs.
    let Ok(known) = app.db(|store| store.worktrees(None)).await else { return };
    if let Ok(finished) = app.git(|git| Ok(git.finish())).await {
        for each in finished {
            tracing::info!(?each, "a worktree was seen to that was left half done");
        }
    }
    let ids: HashSet<WorktreeId> = known.iter().map(|worktree| worktree.id).collect();
    for worktree in known {
        settle(app, worktree).await;
    }
    for (id, path) in unknown(app.worktrees_dir(), &ids).await {
        take_up(app, id, path, None).await;
    }
    for (id, path) in unknown(app.trash_dir(), &ids).await {
        take_up(app, id, app.worktrees_dir().join(id.as_str()), Some(path)).await;
    }
    for session in new_sessions {
        close_if_over(app, *session).await;
    }
}

/// Writes down where a worktree is.
async fn settle(app: &App, worktree: Worktree) {
    let id = worktree.id;
    let trash = app.trash_dir().join(id.as_str());
    let (is_there, is_trashed) = (worktree.path.is_dir(), trash.is_dir());
    let was = match worktree.place {
        WorktreePlace::Trashed { .. } | WorktreePlace::Gone { .. } => None,
        _ if is_there || !is_trashed => None,
        _ => {
            let trash = trash.clone();
            app.git(move |git| git.trashed(&trash)).await.ok()
        }
    };
    let settled = app.db(move |store| match worktree.place {
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
    if let Err(problem) = settled.await {
        tracing::warn!(worktree.id = %id, reason = problem.error.message, "a worktree is not settled");
    }
}

/// The worktrees in a directory of ours that are not among these, by their names.
async fn unknown(directory: PathBuf, known: &HashSet<WorktreeId>) -> Vec<(WorktreeId, PathBuf)> {
    let listed = blocking(move || {
        let paths = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.filter(|path| path.is_dir()).collect::<Vec<_>>()
    });
    let mut found: Vec<(WorktreeId, PathBuf)> = Vec::new();
    for path in listed.await.unwrap_or_default() {
        let id = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        found.extend(id.filter(|id| !known.contains(id)).map(|id| (id, path)));
    }
    found
}

/// Takes up a worktree that is, or was before it came into the trash, at this path.
async fn take_up(app: &App, id: WorktreeId, path: PathBuf, trash: Option<PathBuf>) {
    let asked = app.clone();
    let adopted = match app.git(move |git| adopted(&asked, git, id, path, trash)).await {
        Ok(adopted) => adopted,
        Err(problem) => {
            let reason = problem.error.message;
            tracing::warn!(worktree.id = %id, reason, "a directory stays that is no worktree we know");
            return;
        }
    };
    match app.db(move |store| store.adopt_worktree(&adopted)).await {
        Ok(_) => app.changed(Changed::Worktree(id)),
        Err(problem) => {
            tracing::warn!(worktree.id = %id, reason = problem.error.message, "a worktree is not taken up");
        }
    }
}

/// What git says about it.
fn adopted(
    app: &App,
    git: &Git,
    id: WorktreeId,
    path: PathBuf,
    trash: Option<PathBuf>,
) -> Result<AdoptedWorktree, GitError> {
    let place = trash.as_deref().unwrap_or(&path);
    let git::LinkedWorktree { repository, worktree } = git.linked_worktree(place)?;
    let made_at = made_at(place);
    let was = trash.as_deref().map(|trash| git.trashed(trash)).transpose()?;
    let branch = was.as_ref().map_or(worktree.branch, |was| was.branch.clone()).unwrap_or_default();
    // Releases before this one have moved worktrees to the trash that they had not made.
    let path =
        was.as_ref().map(|was| was.from.clone()).filter(|from| !app.is_made_by_abide(from)).unwrap_or(path);
    Ok(AdoptedWorktree {
        worktree: NewWorktree {
            id,
            branch,
            base_commit: None,
            made_by_abide: app.is_made_by_abide(&path),
            path,
        },
        repository_path: repository,
        trash: trash.zip(was).map(|(path, was)| (Trash { path, head: was.head, branch: was.branch }, was.at)),
        created_at: made_at,
    })
}

fn made_at(path: &Path) -> Timestamp {
    let made = fs::metadata(path).and_then(|found| found.created()).ok();
    made.and_then(|made| made.try_into().ok()).unwrap_or_else(Timestamp::now)
}

/// Closes a session that was made anew from its workers: nobody lives in it, and its worktree went to the trash or
/// further. So an archived one stays so.
async fn close_if_over(app: &App, id: SessionId) {
    let closed = match app.db(move |store| close(store, id)).await {
        Ok(closed) => closed,
        Err(problem) => {
            tracing::warn!(session.id = %id, reason = problem.error.message, "a session stays open");
            return;
        }
    };
    let Some((worktree, repository)) = closed else { return };
    app.changed(Changed::Session(id));
    if !matches!(worktree.place, WorktreePlace::Ready) {
        return;
    }
    // A directory that git has forgotten too is not missing, but gone.
    let Ok(listed) = app.git(move |git| git.worktrees(&repository)).await else { return };
    let name = worktree.path.file_name();
    if !listed.iter().any(|listed| listed.path.file_name() == name) {
        let _ = app.db(move |store| store.worktree_gone(worktree.id, Timestamp::now())).await;
    }
}

/// Closes it, and gives its worktree with the place of the repository.
fn close(store: &Store, id: SessionId) -> Result<Option<(Worktree, PathBuf)>, StoreError> {
    let found = store.session_with_workers(id)?;
    let SessionKind::Worktree { worktree, repository } = found.session.kind else { return Ok(None) };
    let worktree = store.worktree(worktree)?;
    let is_lived_in = found.workers.iter().any(|worker| worker.life.is_open());
    let is_gone = match worktree.place {
        WorktreePlace::Trashed { .. } | WorktreePlace::Gone { .. } => true,
        _ => !worktree.path.is_dir(),
    };
    if is_lived_in || !is_gone || found.session.closed_at.is_some() {
        return Ok(None);
    }
    let ended_at = found.workers.iter().filter_map(|worker| worker.ended_at).max();
    store.close_session(id, ended_at.unwrap_or_else(Timestamp::now))?;
    Ok(Some((worktree, store.repository(repository)?.path)))
}
