//! The steps of a worktree's life.

use std::path::PathBuf;

use jiff::Timestamp;
use model::WorktreeId;
use rusqlite::params;

use crate::columns::{any_of, bytes, stamp};
use crate::error::StoreError;
use crate::object::Object;
use crate::repositories;
use crate::store::Store;
use crate::transaction::Tx;
use crate::worktree_row;
use crate::worktrees::{KeptReason, Worktree, WorktreePlace};

/// Where a worktree went when it was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trash {
    /// Where it is now.
    pub path: PathBuf,
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
}

/// A step of a worktree's life: where it leads to from each place, `–` being refused.
///
/// | from    | made  | missing | found | kept | trashed | taken back | gone |
/// |---------|-------|---------|-------|------|---------|------------|------|
/// | making  | ready | –       | –     | kept | trashed | –          | gone |
/// | ready   | –     | missing | –     | kept | trashed | –          | gone |
/// | missing | –     | –       | ready | –    | trashed | –          | gone |
/// | kept    | ready | missing | –     | kept | trashed | –          | gone |
/// | trashed | –     | –       | –     | –    | –       | ready      | gone |
/// | gone    | –     | –       | –     | –    | –       | –          | –    |
pub(crate) struct Step {
    /// The word for it, behind "cannot be".
    name: &'static str,
    /// The places that it may be taken from.
    from: &'static [&'static str],
}

pub(crate) const MADE: Step = Step { name: "made", from: &["making", "kept"] };
const MISSING: Step = Step { name: "missing", from: &["ready", "kept"] };
const FOUND: Step = Step { name: "found", from: &["missing"] };
pub(crate) const KEPT: Step = Step { name: "kept", from: &["making", "ready", "kept"] };
pub(crate) const TRASHED: Step = Step { name: "trashed", from: &["making", "ready", "missing", "kept"] };
const TAKEN_BACK: Step = Step { name: "taken back", from: &["trashed"] };
const GONE: Step = Step { name: "gone", from: &["making", "ready", "missing", "kept", "trashed"] };

impl Store {
    /// A worktree was made, from `base_commit` if the branch is new; or one that was kept is worked in again.
    ///
    /// # Errors
    ///
    /// Unless it is being made or kept.
    pub fn worktree_ready(&self, id: WorktreeId, base_commit: Option<&str>) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            step(tx, id, &MADE, &WorktreePlace::Ready)?;
            let sql =
                "UPDATE worktrees SET base_commit = coalesce(?2, base_commit) WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), base_commit, tx.owner()))?;
            worktree_row::find(tx, id)
        })
    }

    /// Its directory is not there any more.
    ///
    /// # Errors
    ///
    /// Unless it was ready or kept.
    pub fn worktree_missing(&self, id: WorktreeId, now: Timestamp) -> Result<Worktree, StoreError> {
        self.worktree_step(id, &MISSING, &WorktreePlace::Missing { since: now })
    }

    /// Its directory is there again.
    ///
    /// # Errors
    ///
    /// Unless it was missing.
    pub fn worktree_found_again(&self, id: WorktreeId) -> Result<Worktree, StoreError> {
        self.worktree_step(id, &FOUND, &WorktreePlace::Ready)
    }

    /// It has something that would be lost with it, and stays.
    ///
    /// # Errors
    ///
    /// Unless it is there.
    pub fn keep_worktree(&self, id: WorktreeId, reason: &str) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            keep(tx, id, reason)?;
            worktree_row::find(tx, id)
        })
    }

    /// It was moved to the trash. A check while it was on its way may have found it missing.
    ///
    /// # Errors
    ///
    /// When it is there already, or gone.
    pub fn trash_worktree(
        &self,
        id: WorktreeId,
        trash: Trash,
        now: Timestamp,
    ) -> Result<Worktree, StoreError> {
        let Trash { path, head, branch } = trash;
        self.worktree_step(id, &TRASHED, &WorktreePlace::Trashed { path, at: now, head, branch })
    }

    /// It was moved back from the trash.
    ///
    /// # Errors
    ///
    /// Unless it was in the trash, nothing has taken its path, and its repository is registered.
    pub fn take_back_worktree(&self, id: WorktreeId) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            let worktree = worktree_row::find(tx, id)?;
            if let WorktreePlace::Trashed { .. } = worktree.place {
                repositories::find(tx, worktree.repository)?;
                worktree_row::refuse_known(tx, &worktree.path)?;
            }
            step(tx, id, &TAKEN_BACK, &WorktreePlace::Ready)?;
            worktree_row::find(tx, id)
        })
    }

    /// It is no more: its making was undone, its trash expired, or another program removed it for good.
    ///
    /// # Errors
    ///
    /// When it is gone already.
    pub fn worktree_gone(&self, id: WorktreeId, now: Timestamp) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            gone(tx, id, now)?;
            worktree_row::find(tx, id)
        })
    }

    fn worktree_step(
        &self,
        id: WorktreeId,
        taken: &Step,
        to: &WorktreePlace,
    ) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            step(tx, id, taken, to)?;
            worktree_row::find(tx, id)
        })
    }
}

/// It stays, for this reason.
pub(crate) fn keep(tx: &Tx<'_>, id: WorktreeId, reason: &str) -> Result<(), StoreError> {
    let reason = KeptReason::Because(reason.to_owned());
    step(tx, id, &KEPT, &WorktreePlace::Kept { reason })
}

/// It is no more.
pub(crate) fn gone(tx: &Tx<'_>, id: WorktreeId, now: Timestamp) -> Result<(), StoreError> {
    step(tx, id, &GONE, &WorktreePlace::Gone { at: now })
}

/// Takes a step, if it may be taken from where the worktree is.
pub(crate) fn step(tx: &Tx<'_>, id: WorktreeId, taken: &Step, to: &WorktreePlace) -> Result<(), StoreError> {
    let (at, reason, trash) = match to {
        WorktreePlace::Making | WorktreePlace::Ready => (None, None, None),
        WorktreePlace::Missing { since: at } | WorktreePlace::Gone { at } => (Some(at), None, None),
        WorktreePlace::Kept { reason } => (None, Some(reason), None),
        WorktreePlace::Trashed { path, at, head, branch } => (Some(at), None, Some((path, head, branch))),
    };
    let sql = format!(
        "UPDATE worktrees SET place = ?2, place_at = ?3, kept_reason = ?4,
                              trash_path = ?5, trash_head = ?6, trash_branch = ?7, awaits_trash = ?8
         WHERE id = ?1 AND owner = ?9 AND place IN ({})",
        any_of(taken.from)
    );
    let changed = tx.prepare_cached(&sql)?.execute(params![
        id.as_str(),
        to.as_str(),
        at.copied().map(stamp),
        reason.map(KeptReason::words),
        trash.map(|(path, _, _)| bytes(path)),
        trash.and_then(|(_, head, _)| head.as_ref()),
        trash.and_then(|(_, _, branch)| branch.as_ref()),
        reason == Some(&KeptReason::AwaitsTrash),
        tx.owner(),
    ])?;
    if changed == 1 {
        return Ok(());
    }
    let is = worktree_row::find(tx, id)?.place.as_str();
    Err(StoreError::WrongState { what: Object::Worktree(id), is, step: taken.name })
}

#[cfg(test)]
mod tests {
    use model::OwnerId;

    use super::*;
    use crate::database::Database;
    use crate::step_table::cells;
    use crate::worktrees::NewWorktree;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    /// A worktree in this place.
    fn worktree(store: &Store, place: &str) -> WorktreeId {
        let repository = store.add_repository("/code".as_ref(), "code", NOW).unwrap().id;
        let id = WorktreeId::from_random([1; 8]);
        let (path, branch) = ("/code/tree".into(), "branch".to_owned());
        let new = NewWorktree { id, path, branch, base_commit: None, made_by_abide: true };
        store.add_worktree(repository, &new, NOW).unwrap();
        let steps: &[&str] = match place {
            "making" => &[],
            "ready" => &["made"],
            "missing" => &["made", "missing"],
            other => &[other],
        };
        for step in steps {
            take(store, id, step).unwrap();
        }
        id
    }

    fn take(store: &Store, id: WorktreeId, step: &str) -> Result<Worktree, StoreError> {
        match step {
            "made" => store.worktree_ready(id, None),
            "missing" => store.worktree_missing(id, NOW),
            "found" => store.worktree_found_again(id),
            "kept" => store.keep_worktree(id, "it is dirty"),
            "trashed" => {
                let trash = Trash { path: "/trash".into(), head: None, branch: None };
                store.trash_worktree(id, trash, NOW)
            }
            "taken back" => store.take_back_worktree(id),
            "gone" => store.worktree_gone(id, NOW),
            other => panic!("`{other}` is no step"),
        }
    }

    #[test]
    fn the_table_says_which_steps_may_be_taken() {
        let cells = cells(include_str!("worktree_steps.rs"));
        assert_eq!(cells.len(), 6 * 7, "every step from every place");
        for cell in cells {
            let store = Database::in_memory().of(OwnerId::ONLY);
            let id = worktree(&store, cell.from);
            let before = store.worktree(id).unwrap();
            assert_eq!(before.place.as_str(), cell.from);
            let taken = take(&store, id, cell.step);
            match cell.to {
                Some(to) => {
                    assert_eq!(taken.as_ref().unwrap().place.as_str(), to, "{} {}", cell.from, cell.step);
                }
                None => {
                    let (what, is, step) = (Object::Worktree(id), before.place.as_str(), cell.step);
                    assert_eq!(taken, Err(StoreError::WrongState { what, is, step }));
                    assert_eq!(store.worktree(id), Ok(before));
                }
            }
        }
    }
}
