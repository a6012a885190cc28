//! Removes a worktree: moves it to the trash, or forgets it.

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::WorktreeId;
use store::{Worktree, WorktreePlace};

use crate::rooms::Worktrees;
use crate::tokens::Principal;
use crate::views;

impl Worktrees {
    /// Moves a worktree to the trash. Refuses that if the worktree holds work, unless forced; also then the user can
    /// take it back. A worktree that abide did not make is only forgotten.
    pub(crate) async fn remove(
        &self,
        who: &Principal,
        id: WorktreeId,
        force: bool,
    ) -> Result<api::RemovedWorktree, Problem> {
        self.worktrees_are_settled().await;
        let shown = self.get(id).await?;
        let worktree = self.read(move |store| store.worktree(id)).await?;
        let worktree = self.looked_at(worktree).await?;
        if let WorktreePlace::Making | WorktreePlace::Trashed { .. } = worktree.place {
            let words = format!("the worktree is {}", worktree.place.as_str());
            return Err(Problem::new(ErrorCode::WrongState, words));
        }
        if !shown.session_ids.is_empty() {
            return Err(Problem::new(ErrorCode::InUse, "sessions use it")
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
            .hint("`?force=true` moves it to the trash anyway; you can restore it from there")
            .detail(serde_json::json!({ "work": work })));
        }
        self.trash(&worktree).await?;
        self.access().record(who, "worktree.remove", id, Some(views::text(&worktree.path))).await;
        Ok(api::RemovedWorktree { worktree: self.get(id).await?, work })
    }

    /// Forgets a worktree whose directory is missing. Its branch stays.
    async fn forget_missing(
        &self,
        who: &Principal,
        worktree: &Worktree,
        shown: api::Worktree,
        force: bool,
    ) -> Result<api::RemovedWorktree, Problem> {
        let (id, path) = (worktree.id, views::text(&worktree.path));
        if !force {
            return Err(Problem::new(ErrorCode::Missing, format!("`{path}` no longer exists"))
                .hint("put it back, or remove it from abide with `?force=true`"));
        }
        self.step(move |store| store.worktree_gone(id, Timestamp::now())).await?;
        self.access().record(who, "worktree.forget", id, Some(path)).await;
        Ok(api::RemovedWorktree { worktree: shown, work: Vec::new() })
    }

    /// Forgets a worktree that abide did not make. Its files stay.
    async fn forget_foreign(
        &self,
        who: &Principal,
        worktree: &Worktree,
        mut shown: api::Worktree,
    ) -> Result<api::RemovedWorktree, Problem> {
        let id = worktree.id;
        self.step(move |store| store.worktree_gone(id, Timestamp::now())).await?;
        self.access().record(who, "worktree.forget", id, Some(views::text(&worktree.path))).await;
        shown.note = Some(
            "abide did not make this worktree: it only removed its own entry and left the files alone"
                .to_owned(),
        );
        Ok(api::RemovedWorktree { worktree: shown, work: Vec::new() })
    }

    /// Lists the work in a worktree that exists nowhere else, in words.
    pub(crate) async fn work_in(&self, worktree: &Worktree) -> Result<Vec<String>, Problem> {
        let path = worktree.path.clone();
        Ok(in_words(&self.node().git(move |git| git.work(&path)).await?))
    }
}

/// The work in a worktree, in words.
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
