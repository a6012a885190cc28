//! The room of repositories and worktrees: registers, makes and sets up, moves to the trash, takes back.

mod make;
mod remove;
mod repositories;
mod setup;
mod trash;

use std::path::PathBuf;

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use store::{SessionFilter, SessionKind, StoreError, Worktree, WorktreePlace};

use crate::rooms::Worktrees;
use crate::views;

impl Worktrees {
    /// Worktrees that are not gone, of one repository or of all.
    pub(crate) async fn list(&self, repository: Option<RepositoryId>) -> Result<Vec<api::Worktree>, Problem> {
        let found = self.read(move |store| {
            if let Some(repository) = repository {
                store.repository(repository)?;
            }
            let worktrees = store.worktrees(repository)?;
            Ok((worktrees, store.sessions(SessionFilter::Open)?))
        });
        let (worktrees, sessions) = found.await?;
        let mut shown = Vec::new();
        for worktree in worktrees {
            let worktree = self.as_found(worktree);
            let used = sessions.iter().filter(|session| is_in(session, worktree.id));
            shown.extend(views::worktree(&worktree, used.map(|session| session.id).collect()));
        }
        Ok(shown)
    }

    /// One worktree.
    pub(crate) async fn get(&self, id: WorktreeId) -> Result<api::Worktree, Problem> {
        let found = self.read(move |store| Ok((store.worktree(id)?, store.sessions(SessionFilter::Open)?)));
        let (worktree, sessions) = found.await?;
        let worktree = self.as_found(worktree);
        let used = sessions.iter().filter(|session| is_in(session, id)).map(|session| session.id);
        views::worktree(&worktree, used.collect())
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no worktree `{id}`")))
    }

    /// The path of a worktree in which a worker can be started.
    pub(crate) async fn location(&self, id: WorktreeId) -> Result<PathBuf, Problem> {
        let worktree = self.read(move |store| store.worktree(id)).await?;
        let worktree = self.looked_at(worktree).await?;
        let (code, words) = match worktree.place {
            WorktreePlace::Ready | WorktreePlace::Kept { .. } => return Ok(worktree.path),
            WorktreePlace::Missing { .. } => {
                (ErrorCode::Missing, format!("`{}` no longer exists", views::text(&worktree.path)))
            }
            place => (ErrorCode::WrongState, format!("the worktree is {}", place.as_str())),
        };
        Err(Problem::new(code, words))
    }

    /// Writes down whether a worktree's directory went away or came back. Callers that are about to change the worktree
    /// call this first. It makes nothing in the place of a missing directory.
    pub(crate) async fn looked_at(&self, worktree: Worktree) -> Result<Worktree, Problem> {
        let id = worktree.id;
        let found = self.as_found(worktree.clone());
        match (&worktree.place, &found.place) {
            (WorktreePlace::Missing { .. }, WorktreePlace::Ready) => {
                let back = move |store: &store::Store| or_as_it_is(store, id, store.worktree_found_again(id));
                self.happened(back).once().await
            }
            (WorktreePlace::Ready | WorktreePlace::Kept { .. }, WorktreePlace::Missing { since }) => {
                let since = *since;
                let gone =
                    move |store: &store::Store| or_as_it_is(store, id, store.worktree_missing(id, since));
                self.happened(gone).once().await
            }
            // The request that moves it to the trash writes that down.
            _ => Ok(found),
        }
    }

    /// Writes down which worktrees' directories went away or came back.
    pub(crate) async fn look_for_all(&self) -> Result<(), Problem> {
        for worktree in self.read(|store| store.worktrees(None)).await? {
            self.looked_at(worktree).await?;
        }
        Ok(())
    }

    /// A worktree as it is now: its directory may have gone, come back or been moved to the trash, since its place was
    /// written down. This changes nothing in the database, so it also works while the server cannot save anything.
    fn as_found(&self, worktree: Worktree) -> Worktree {
        // Its place before the trash: the move is one step, so a directory that was moved meanwhile is in the trash.
        let is_there = self.node().is_directory(&worktree.path);
        let place = match worktree.place {
            WorktreePlace::Missing { .. } if is_there => WorktreePlace::Ready,
            WorktreePlace::Ready | WorktreePlace::Kept { .. } | WorktreePlace::Missing { .. }
                if !is_there && self.node().is_trashed(worktree.id) =>
            {
                let (path, branch) = (self.node().trash_path(worktree.id), Some(worktree.branch.clone()));
                WorktreePlace::Trashed { path, at: Timestamp::now(), head: None, branch }
            }
            WorktreePlace::Ready | WorktreePlace::Kept { .. } if !is_there => {
                WorktreePlace::Missing { since: Timestamp::now() }
            }
            place => place,
        };
        Worktree { place, ..worktree }
    }
}

/// The worktree after a step. If another request changed its state meanwhile, the worktree as it is now.
fn or_as_it_is(
    store: &store::Reader,
    id: WorktreeId,
    stepped: Result<Worktree, StoreError>,
) -> Result<Worktree, StoreError> {
    match stepped {
        Err(StoreError::WrongState { .. }) => store.worktree(id),
        stepped => stepped,
    }
}

fn is_in(session: &store::Session, id: WorktreeId) -> bool {
    matches!(session.kind, SessionKind::Worktree { worktree, .. } if worktree == id)
}
