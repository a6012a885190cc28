//! Archives a task's session: before another one starts, or because the task is finished.

use api::{ErrorCode, KeptWorktree, Problem};
use jiff::Timestamp;
use model::{SessionId, TaskId};
use store::{KeptReason, SessionFilter, Task, WorktreePlace};

use super::refuse_inactive;
use crate::rooms::Tasks;
use crate::tokens::Principal;
use crate::views;
use crate::workers::is_being_made;

impl Tasks {
    /// Archives a task's session, if it has one, and starts another.
    pub(crate) async fn retry(&self, who: &Principal, id: TaskId) -> Result<api::ArchivedTask, Problem> {
        let task = self.read(move |store| store.task(id)).await?;
        refuse_inactive(&task)?;
        let kept_worktree = self.archive(who, &task, false).await?;
        Ok(api::ArchivedTask { task: self.start(who, id).await?, kept_worktree })
    }

    /// Archives a task's session, if it has one, and finishes the task.
    pub(crate) async fn complete(&self, who: &Principal, id: TaskId) -> Result<api::ArchivedTask, Problem> {
        let task = self.read(move |store| store.task(id)).await?;
        task.state.complete().map_err(|wrong| Problem::new(ErrorCode::WrongState, wrong.to_string()))?;
        let kept_worktree = match task.session {
            Some(_) => self.archive(who, &task, true).await?,
            None => {
                self.step(move |store| store.complete_task(id)).await?;
                None
            }
        };
        self.access().record(who, "task.complete", id, None).await;
        Ok(api::ArchivedTask { task: self.get(id).await?, kept_worktree })
    }

    /// Ends a task's session: cancels a start that is under way, and ends its workers. Moves its worktree to the trash,
    /// unless it holds work that exists nowhere else; then it keeps the worktree and returns it.
    pub(super) async fn archive(
        &self,
        who: &Principal,
        task: &Task,
        complete: bool,
    ) -> Result<Option<KeptWorktree>, Problem> {
        let Some(session) = task.session else { return Ok(None) };
        self.stop_start(session).await?;
        let found = self.read(move |store| store.session_with_workers(session)).await?;
        if found.workers.iter().any(is_being_made) {
            return Err(Problem::new(
                ErrorCode::WrongState,
                "a worker of the session is still being started",
            )
            .hint("wait until it runs or has failed"));
        }
        for worker in &found.workers {
            self.workers().end(worker).await?;
        }
        let store::SessionKind::Worktree { worktree, .. } = found.session.kind else {
            return Err(Problem::new(ErrorCode::Internal, "a task's session has no worktree"));
        };
        self.faults().waits_until_settled().await;
        self.worktrees_are_settled().await;
        let worktree = self.read(move |store| store.worktree(worktree)).await?;
        let work = self.work_to_keep(&worktree).await;
        let kept = (!work.is_empty()).then(|| worktree.path.clone());
        let (id, path) = (task.id, kept.clone());
        let archived = self
            .step(move |store| {
                store.archive_this_session(id, session, Timestamp::now(), path.as_deref(), complete)
            })
            .await?;
        // Another request was faster.
        let Some(archived) = archived else { return Ok(None) };
        self.end_latecomers(session).await;
        let log = archived.log.id;
        self.access().record(who, "task.archive", id, Some(log.to_string())).await;
        let is_there = matches!(worktree.place, WorktreePlace::Ready | WorktreePlace::Kept { .. });
        if let Some(path) = kept {
            let (worktree_id, reason) = (worktree.id, work.join(", "));
            self.happened(move |store: &store::Store| store.keep_worktree(worktree_id, &reason))
                .until_written()
                .await?;
            return Ok(Some(KeptWorktree { path: views::exact(&path), work }));
        }
        if is_there
            && self.node().is_directory(&worktree.path)
            && let Err(problem) = self.worktrees().trash(&worktree).await
        {
            // The worktree stays where it is, and the answer says so.
            let reason = problem.error.message.clone();
            let (worktree_id, kept) = (worktree.id, reason.clone());
            self.happened(move |store: &store::Store| store.keep_archived_worktree(log, worktree_id, &kept))
                .until_written()
                .await?;
            return Ok(Some(KeptWorktree { path: views::exact(&worktree.path), work: vec![reason] }));
        }
        Ok(None)
    }

    /// Moves the worktrees of archived sessions to the trash that the last server could not move before it stopped.
    pub(crate) async fn finish_archives(&self) -> Result<(), Problem> {
        let found = self.read(|store| Ok((store.worktrees(None)?, store.sessions(SessionFilter::Open)?)));
        let (worktrees, sessions) = found.await?;
        let is_left = |worktree: &&store::Worktree| {
            let awaits_trash = worktree.place == WorktreePlace::Kept { reason: KeptReason::AwaitsTrash };
            awaits_trash && !sessions.iter().any(|session| session.location == worktree.path)
        };
        for worktree in worktrees.iter().filter(is_left) {
            let mut work = self.work_to_keep(worktree).await;
            if work.is_empty()
                && let Err(problem) = self.worktrees().trash(worktree).await
            {
                work.push(problem.error.message);
            }
            if !work.is_empty() {
                let (id, reason) = (worktree.id, work.join(", "));
                self.happened(move |store: &store::Store| store.keep_worktree(id, &reason))
                    .until_written()
                    .await?;
            }
        }
        Ok(())
    }

    /// Ends workers that were added to a session between the last look at it and its end. Workers that are still being
    /// started find out themselves that the session is closed.
    async fn end_latecomers(&self, session: SessionId) {
        let Ok(found) = self.read(move |store| store.session_with_workers(session)).await else { return };
        for worker in found.workers.iter().filter(|worker| !is_being_made(worker)) {
            if let Err(problem) = self.workers().end(worker).await {
                tracing::warn!(worker.id = %worker.id, reason = problem.error.message, "it outlives its session");
            }
        }
    }

    /// Why a worktree must be kept. One that cannot be examined is kept.
    async fn work_to_keep(&self, worktree: &store::Worktree) -> Vec<String> {
        let is_there = matches!(worktree.place, WorktreePlace::Ready | WorktreePlace::Kept { .. });
        if !is_there || !self.node().is_directory(&worktree.path) {
            return Vec::new();
        }
        match self.worktrees().work_in(worktree).await {
            Ok(work) => work,
            Err(problem) => vec![problem.error.message],
        }
    }
}
