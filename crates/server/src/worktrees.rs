//! Repositories and worktrees: registered, made, moved to the trash, taken back.

use std::path::{Path, PathBuf};

use api::{AddRepository, CreateWorktree, ErrorCode, Problem};
use git::{BranchName, NewWorktree, WorktreeBranch};
use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use store::{SessionFilter, SessionKind, StoreError, Trash, Worktree, WorktreePlace};

use crate::app::App;
use crate::changes::Changed;
use crate::tokens::Principal;
use crate::workers::new_id;
use crate::{texts, views};

impl App {
    /// Registers the repository that a directory is in.
    pub(crate) async fn add_repository(
        &self,
        who: &Principal,
        add: AddRepository,
    ) -> Result<api::Repository, Problem> {
        let directory = texts::directory(&add.path)?;
        // A repository is known by its first worktree, whichever of them was named.
        let path = self.git(move |git| {
            let found = git.inspect(&directory)?;
            let first = git.worktrees(&found.path)?.into_iter().next();
            Ok(first
                .filter(|first| !found.bare && first.path.is_dir())
                .map_or(found.path, |first| first.path))
        });
        let path = path.await?;
        if path.to_str().is_none() {
            // What workers leave behind about where they are is text.
            let words = format!("`{}` cannot be used: its name is no UTF-8", views::text(&path));
            return Err(Problem::new(ErrorCode::BadPath, words));
        }
        let name = path.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
        let repository = self.save(move |store| store.add_repository(&path, &name, Timestamp::now())).await?;
        self.record(who, "repository.add", repository.id, Some(views::text(&repository.path))).await;
        self.changed(Changed::Repository(repository.id));
        Ok(views::repository(&repository))
    }

    /// Forgets a repository. Nothing of it is touched.
    pub(crate) async fn remove_repository(
        &self,
        who: &Principal,
        id: RepositoryId,
        with_tasks: bool,
    ) -> Result<(), Problem> {
        self.save(move |store| store.remove_repository(id, with_tasks, Timestamp::now())).await?;
        self.record(who, "repository.remove", id, None).await;
        self.changed(Changed::Repository(id));
        Ok(())
    }

    /// Worktrees that are not gone, of one repository or of all.
    pub(crate) async fn worktrees(
        &self,
        repository: Option<RepositoryId>,
    ) -> Result<Vec<api::Worktree>, Problem> {
        let found = self.db(move |store| {
            if let Some(repository) = repository {
                store.repository(repository)?;
            }
            let worktrees = store.worktrees(repository)?;
            Ok((worktrees, store.sessions(SessionFilter::Open)?))
        });
        let (worktrees, sessions) = found.await?;
        let mut shown = Vec::new();
        for worktree in worktrees {
            let worktree = as_found(worktree);
            let used = sessions.iter().filter(|session| is_in(session, worktree.id));
            shown.extend(views::worktree(&worktree, used.map(|session| session.id).collect()));
        }
        Ok(shown)
    }

    /// One worktree.
    pub(crate) async fn worktree(&self, id: WorktreeId) -> Result<api::Worktree, Problem> {
        let found = self.db(move |store| Ok((store.worktree(id)?, store.sessions(SessionFilter::Open)?)));
        let (worktree, sessions) = found.await?;
        let worktree = as_found(worktree);
        let used = sessions.iter().filter(|session| is_in(session, id)).map(|session| session.id);
        views::worktree(&worktree, used.collect())
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no worktree `{id}`")))
    }

    /// Writes down that a directory went away, or came back, for whoever is about to do something with it. Nothing is
    /// made in its place.
    pub(crate) async fn looked_at(&self, worktree: Worktree) -> Result<Worktree, Problem> {
        let id = worktree.id;
        let is_there = worktree.path.is_dir();
        match worktree.place {
            WorktreePlace::Ready | WorktreePlace::Kept { .. } if !is_there => {
                self.changed(Changed::Worktree(id));
                self.db(move |store| or_as_it_is(store, id, store.worktree_missing(id, Timestamp::now())))
                    .await
            }
            WorktreePlace::Missing { .. } if is_there => {
                self.changed(Changed::Worktree(id));
                self.db(move |store| or_as_it_is(store, id, store.worktree_found_again(id))).await
            }
            _ => Ok(worktree),
        }
    }

    /// Makes a worktree that somebody asked for by itself.
    pub(crate) async fn create_worktree(
        &self,
        who: &Principal,
        repository: RepositoryId,
        create: CreateWorktree,
    ) -> Result<api::Worktree, Problem> {
        let repository = self.db(move |store| store.repository(repository)).await?;
        let id = new_id(WorktreeId::from_random)?;
        let path = self.worktrees_dir().join(id.as_str());
        let (repo, wanted) = (repository.path.clone(), create.branch.clone());
        let branch =
            self.git(move |git| chosen_branch(git, &repo, id, wanted.as_deref(), create.base)).await?;
        let new = store::NewWorktree {
            id,
            path: path.clone(),
            branch: name_of(&branch),
            base_commit: None,
            made_by_abide: true,
        };
        let repository_id = repository.id;
        self.save(move |store| store.add_worktree(repository_id, &new, Timestamp::now())).await?;
        let made = self.make_worktree(repository.path.clone(), path, branch).await;
        if let Err(problem) = made.and_then_ready(self, id).await {
            self.write_down(move |store| store.worktree_gone(id, Timestamp::now())).await?;
            return Err(problem);
        }
        self.record(who, "worktree.create", id, create.branch).await;
        self.changed(Changed::Worktree(id));
        let notice = self.provision(&repository, id).await;
        let mut shown = self.worktree(id).await?;
        shown.note = notice.or(shown.note);
        Ok(shown)
    }

    /// Has git make a worktree, and the directories above it.
    pub(crate) async fn make_worktree(
        &self,
        repository: PathBuf,
        path: PathBuf,
        branch: WorktreeBranch,
    ) -> Made {
        let above = self.worktrees_dir();
        let made = self.git(move |git| {
            home::private_dir(&above).map_err(|error| git::GitError::Io {
                doing: "make the directory of worktrees".into(),
                source: std::io::Error::other(error),
            })?;
            git.add_worktree(&repository, &NewWorktree { path, branch })
        });
        Made(made.await)
    }

    /// Moves a worktree to the trash. What is in it that would be lost is a reason not to, unless forced; forced, it
    /// can still be taken back. One that we did not make is somebody's own, and is only forgotten.
    pub(crate) async fn remove_worktree(
        &self,
        who: &Principal,
        id: WorktreeId,
        force: bool,
    ) -> Result<api::RemovedWorktree, Problem> {
        let shown = self.worktree(id).await?;
        let worktree = self.db(move |store| store.worktree(id)).await?;
        let worktree = self.looked_at(worktree).await?;
        if let WorktreePlace::Making | WorktreePlace::Trashed { .. } = worktree.place {
            let words = format!("the worktree is {}", worktree.place.as_str());
            return Err(Problem::new(ErrorCode::WrongState, words));
        }
        if !shown.session_ids.is_empty() {
            return Err(Problem::new(ErrorCode::InUse, "sessions work in it")
                .hint("end them first")
                .detail(serde_json::json!({ "sessionIds": shown.session_ids })));
        }
        if !worktree.made_by_abide {
            return self.forget_foreign(who, &worktree, shown).await;
        }
        if let WorktreePlace::Missing { .. } = worktree.place {
            return self.forget_missing(who, &worktree, shown, force).await;
        }
        let work = self.work_in(&worktree).await?;
        if !work.is_empty() && !force {
            return Err(Problem::new(
                ErrorCode::HasWork,
                format!("the worktree holds work: {}", work.join(", ")),
            )
            .hint(
                "with `?force=true` it is moved to the trash all the same, and can be taken back from there",
            )
            .detail(serde_json::json!({ "work": work })));
        }
        self.trash(&worktree).await?;
        self.record(who, "worktree.remove", id, Some(views::text(&worktree.path))).await;
        Ok(api::RemovedWorktree { worktree: self.worktree(id).await?, work })
    }

    /// Takes a worktree whose directory somebody removed off the list. Its branch stays.
    async fn forget_missing(
        &self,
        who: &Principal,
        worktree: &Worktree,
        shown: api::Worktree,
        force: bool,
    ) -> Result<api::RemovedWorktree, Problem> {
        let (id, path) = (worktree.id, views::text(&worktree.path));
        if !force {
            return Err(Problem::new(ErrorCode::Missing, format!("`{path}` is no longer there"))
                .hint("put it back, or have it forgotten with `?force=true`"));
        }
        self.save(move |store| store.worktree_gone(id, Timestamp::now())).await?;
        self.record(who, "worktree.forget", id, Some(path)).await;
        self.changed(Changed::Worktree(id));
        Ok(api::RemovedWorktree { worktree: shown, work: Vec::new() })
    }

    /// Takes a worktree that we did not make off the list. Nothing of it is touched.
    async fn forget_foreign(
        &self,
        who: &Principal,
        worktree: &Worktree,
        mut shown: api::Worktree,
    ) -> Result<api::RemovedWorktree, Problem> {
        let id = worktree.id;
        self.save(move |store| store.worktree_gone(id, Timestamp::now())).await?;
        self.record(who, "worktree.forget", id, Some(views::text(&worktree.path))).await;
        self.changed(Changed::Worktree(id));
        shown.note = Some("abide did not make it: it is forgotten, and nothing of it was touched".to_owned());
        Ok(api::RemovedWorktree { worktree: shown, work: Vec::new() })
    }

    /// What is in a worktree that would be lost with it, in words.
    pub(crate) async fn work_in(&self, worktree: &Worktree) -> Result<Vec<String>, Problem> {
        let path = worktree.path.clone();
        Ok(in_words(&self.git(move |git| git.work(&path)).await?))
    }

    /// Runs what the repository wants run before, and moves a worktree to the trash.
    pub(crate) async fn trash(&self, worktree: &Worktree) -> Result<(), Problem> {
        let id = worktree.id;
        let repository = worktree.repository;
        let repository = self.db(move |store| store.repository(repository)).await?;
        self.tear_down(&repository, worktree).await;
        let (path, trash) = (worktree.path.clone(), self.trash_dir().join(id.as_str()));
        let (above, into) = (self.trash_dir(), trash.clone());
        let trashed = self.git(move |git| {
            home::private_dir(&above).map_err(|error| git::GitError::Io {
                doing: "make the trash".into(),
                source: std::io::Error::other(error),
            })?;
            git.to_trash(&repository.path, &path, &into)
        });
        let trashed = trashed.await?;
        // The time that git keeps too, so that it is the same for a database that is made anew.
        let at = trashed.at;
        let trash = Trash { path: trash, head: trashed.head, branch: trashed.branch };
        self.write_down(move |store| store.trash_worktree(id, trash.clone(), at)).await?;
        self.changed(Changed::Worktree(id));
        Ok(())
    }

    /// Takes a worktree back from the trash.
    pub(crate) async fn restore_worktree(
        &self,
        who: &Principal,
        id: WorktreeId,
    ) -> Result<api::Worktree, Problem> {
        let worktree = self.db(move |store| store.worktree(id)).await?;
        let WorktreePlace::Trashed { path: trash, .. } = worktree.place.clone() else {
            let words = format!("the worktree is {}, not in the trash", worktree.place.as_str());
            return Err(Problem::new(ErrorCode::WrongState, words));
        };
        let repository = worktree.repository;
        let repository = self.db(move |store| store.repository(repository)).await?;
        let to = worktree.path.clone();
        let back = self.git(move |git| {
            let trashed = git.trashed(&trash)?;
            git.from_trash(&repository.path, &trash, &to, &trashed)
        });
        let back = back.await?;
        self.write_down(move |store| store.take_back_worktree(id)).await?;
        self.record(who, "worktree.restore", id, None).await;
        self.changed(Changed::Worktree(id));
        let mut shown = self.worktree(id).await?;
        shown.note = note(&back).or(shown.note);
        Ok(shown)
    }

    /// Writes down which directories went away or came back.
    pub(crate) async fn look_for_worktrees(&self) -> Result<(), Problem> {
        for worktree in self.db(|store| store.worktrees(None)).await? {
            self.looked_at(worktree).await?;
        }
        Ok(())
    }

    /// Removes for good what has been in the trash for long enough. What cannot be removed stays, and holds nothing up.
    pub(crate) async fn empty_trash(&self) -> Result<(), Problem> {
        let worktrees = self.db(|store| store.worktrees(None)).await?;
        for worktree in worktrees {
            let WorktreePlace::Trashed { path, at, .. } = &worktree.place else { continue };
            if views::trash_expires(*at) > Timestamp::now() {
                continue;
            }
            if let Err(problem) = self.expire(&worktree, path.clone()).await {
                let reason = problem.error.message;
                tracing::warn!(worktree.id = %worktree.id, reason, "a worktree stays in the trash");
            }
        }
        Ok(())
    }

    async fn expire(&self, worktree: &Worktree, trash: PathBuf) -> Result<(), Problem> {
        let (id, repository) = (worktree.id, worktree.repository);
        let repository = self.db(move |store| store.repository(repository)).await?;
        let (branch, base) = (worktree.branch.clone(), worktree.base_commit.clone());
        self.git(move |git| {
            git.expire(&repository.path, &trash)?;
            match (branch.parse(), base) {
                (Ok(branch), Some(base)) => {
                    git.delete_branch_if_untouched(&repository.path, &branch, &base).map(|_| ())
                }
                _ => Ok(()),
            }
        })
        .await?;
        self.db(move |store| store.worktree_gone(id, Timestamp::now())).await?;
        self.changed(Changed::Worktree(id));
        Ok(())
    }
}

/// What came of making a worktree.
pub(crate) struct Made(Result<git::MadeWorktree, Problem>);

impl Made {
    /// Writes down that the worktree is there.
    pub(crate) async fn and_then_ready(self, app: &App, id: WorktreeId) -> Result<(), Problem> {
        let made = self.0?;
        app.write_down(move |store| store.worktree_ready(id, Some(&made.base_commit))).await.map(|_| ())
    }
}

/// A worktree as it is now: its directory may have gone, or come back, since its place was written down. Whoever only
/// looks changes nothing, and sees it also while nothing can be saved.
fn as_found(worktree: Worktree) -> Worktree {
    let is_there = worktree.path.is_dir();
    let place = match worktree.place {
        WorktreePlace::Ready | WorktreePlace::Kept { .. } if !is_there => {
            WorktreePlace::Missing { since: Timestamp::now() }
        }
        WorktreePlace::Missing { .. } if is_there => WorktreePlace::Ready,
        place => place,
    };
    Worktree { place, ..worktree }
}

/// What a look at a directory makes of a worktree; one that was moved since it was read is as it is now.
fn or_as_it_is(
    store: &store::Store,
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

/// The branch for a worktree that somebody asked for: one that is there, a new one of that name, or one after the
/// worktree's id.
fn chosen_branch(
    git: &git::Git,
    repository: &Path,
    id: WorktreeId,
    wanted: Option<&str>,
    base: Option<String>,
) -> Result<WorktreeBranch, git::GitError> {
    let Some(wanted) = wanted else {
        let name = git.free_branch(repository, &BranchName::from_title(id.as_str()))?;
        return Ok(WorktreeBranch::New { name, base });
    };
    let name: BranchName = wanted.parse()?;
    let is_there = git.branches(repository)?.iter().any(|branch| branch.name.as_str() == wanted);
    Ok(if is_there { WorktreeBranch::Existing(name) } else { WorktreeBranch::New { name, base } })
}

/// What would be lost, in words.
fn in_words(work: &git::Work) -> Vec<String> {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let changed = work.staged.max(work.unstaged).max(usize::from(work.more));
    let mut words = vec![
        counted(changed, "file with uncommitted changes", "files with uncommitted changes"),
        counted(work.untracked, "file that git does not track", "files that git does not track"),
        counted(work.conflicts, "file in conflict", "files in conflict"),
        counted(work.commits, "commit that is nowhere else", "commits that are nowhere else"),
        counted(work.inside.len(), "worktree inside it", "worktrees inside it"),
    ];
    words.push(work.operation.map(|operation| {
        let name = match operation {
            git::Operation::Merge => "merge",
            git::Operation::Rebase => "rebase",
            git::Operation::CherryPick => "cherry-pick",
            git::Operation::Revert => "revert",
            git::Operation::Bisect => "bisect",
        };
        format!("an unfinished {name}")
    }));
    words.into_iter().flatten().collect()
}

/// What to say about a worktree that came back otherwise than it was.
fn note(back: &git::TakenBack) -> Option<String> {
    use git::{StaysDetached, TakenBack};
    let TakenBack::Detached(why) = back else { return None };
    let why = match why {
        StaysDetached::BranchGone => "its branch is gone".to_owned(),
        StaysDetached::WorktreeMoved => "it has moved on from it".to_owned(),
        StaysDetached::BranchMoved(_) => "its branch has moved on".to_owned(),
        StaysDetached::BranchElsewhere(path) => {
            format!("its branch is checked out at `{}`", views::text(path))
        }
    };
    Some(format!("it stands at its commit without a branch: {why}"))
}

pub(crate) fn name_of(branch: &WorktreeBranch) -> String {
    match branch {
        WorktreeBranch::New { name, .. } | WorktreeBranch::Existing(name) => name.as_str().to_owned(),
    }
}
