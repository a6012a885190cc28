//! What a store should hold, kept in plain lists, with the same steps as the store.

use jiff::Timestamp;
use model::{Activity, RepositoryId, SessionId, TaskId, TaskState, WorkerId, WorkerLife, WorktreeId};
use store::{
    Conflict, KeptReason, NewSession, NewTask, NewTaskSession, NewWorker, NewWorktree, Object, Repository,
    Session, SessionKind, SessionWithWorkers, StoreError, Task, Trash, Worker, Worktree, WorktreePlace,
};

/// Everything that is known, each list in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) repositories: Vec<Repository>,
    removed: Vec<Repository>,
    pub(crate) worktrees: Vec<Worktree>,
    /// Those of one repository are in the order that a person gave them.
    pub(crate) tasks: Vec<Task>,
    pub(crate) sessions: Vec<Session>,
    /// Those of one session are in the order that a person gave them.
    pub(crate) workers: Vec<Worker>,
}

type Done<T = ()> = Result<T, StoreError>;

fn refuse<T>(conflict: Conflict) -> Done<T> {
    Err(conflict.into())
}

fn find<T>(list: &[T], what: Object, is: impl Fn(&T) -> bool) -> Done<usize> {
    list.iter().position(is).ok_or(StoreError::NotFound { what })
}

fn is_there(worktree: &Worktree) -> bool {
    !matches!(worktree.place, WorktreePlace::Trashed { .. } | WorktreePlace::Gone { .. })
}

impl World {
    fn repository(&self, id: RepositoryId) -> Done<usize> {
        find(&self.repositories, Object::Repository(id), |known| known.id == id)
    }

    fn task(&mut self, id: TaskId) -> Done<&mut Task> {
        let index = find(&self.tasks, Object::Task(id), |known| known.id == id)?;
        Ok(&mut self.tasks[index])
    }

    fn session(&mut self, id: SessionId) -> Done<&mut Session> {
        let index = find(&self.sessions, Object::Session(id), |known| known.id == id)?;
        Ok(&mut self.sessions[index])
    }

    fn worker(&mut self, id: WorkerId) -> Done<&mut Worker> {
        let index = find(&self.workers, Object::Worker(id), |known| known.id == id)?;
        Ok(&mut self.workers[index])
    }

    fn worktree(&mut self, id: WorktreeId) -> Done<&mut Worktree> {
        let index = find(&self.worktrees, Object::Worktree(id), |known| known.id == id)?;
        Ok(&mut self.worktrees[index])
    }

    /// Positions are where things are in their lists.
    fn number(&mut self) {
        for index in 0..self.tasks.len() {
            let repository = self.tasks[index].repository;
            let before = self.tasks[..index].iter().filter(|task| task.repository == repository);
            self.tasks[index].position = before.count() as i64;
        }
        for index in 0..self.workers.len() {
            let session = self.workers[index].session;
            let before = self.workers[..index].iter().filter(|worker| worker.session == session);
            self.workers[index].position = before.count() as i64;
        }
    }

    pub(crate) fn add_repository(&mut self, new: Repository) -> Done<Repository> {
        if let Some(known) = self.repositories.iter().find(|known| known.path == new.path) {
            return refuse(Conflict::RepositoryKnown(known.id));
        }
        let before = self.removed.iter().position(|known| known.path == new.path);
        let added = match before {
            Some(index) => Repository { name: new.name, ..self.removed.remove(index) },
            None => new,
        };
        self.repositories.push(added.clone());
        Ok(added)
    }

    pub(crate) fn remove_repository(&mut self, id: RepositoryId, with_tasks: bool) -> Done {
        let index = self.repository(id)?;
        let mut tasks = self.tasks.iter().filter(|task| task.repository == id).peekable();
        if self.worktrees.iter().any(|worktree| worktree.repository == id && is_there(worktree)) {
            return refuse(Conflict::RepositoryHasWorktrees);
        }
        if !with_tasks && tasks.peek().is_some() && tasks.clone().all(|task| task.session.is_none()) {
            return refuse(Conflict::RepositoryHasTasks);
        }
        if tasks.any(|task| task.session.is_some()) {
            return refuse(Conflict::RepositoryHasSessions);
        }
        self.removed.push(self.repositories.remove(index));
        self.forget_tasks(|task| task.repository == id);
        Ok(())
    }

    fn forget_tasks(&mut self, goes: impl Fn(&Task) -> bool) {
        for task in self.tasks.iter().filter(|task| goes(task)) {
            for session in self.sessions.iter_mut().filter(|session| session.task == Some(task.id)) {
                session.task = None;
            }
        }
        self.tasks.retain(|task| !goes(task));
        self.number();
    }

    pub(crate) fn create_task(&mut self, id: TaskId, new: &NewTask, now: Timestamp) -> Done<Task> {
        self.repository(new.repository)?;
        self.tasks.push(Task {
            id,
            repository: new.repository,
            title: new.title.clone(),
            description: new.description.clone(),
            pinned: new.pinned,
            state: TaskState::Backlog,
            agent: new.agent.clone(),
            session: None,
            position: 0,
            created_at: now,
            session_started_at: None,
        });
        self.number();
        self.task(id).cloned()
    }

    pub(crate) fn move_task(&mut self, id: TaskId, position: usize) -> Done<Task> {
        let task = self.task(id)?.clone();
        let (mut of_it, others): (Vec<_>, Vec<_>) =
            self.tasks.drain(..).partition(|known| known.repository == task.repository);
        of_it.retain(|known| known.id != id);
        of_it.insert(position.min(of_it.len()), task);
        self.tasks = others.into_iter().chain(of_it).collect();
        self.number();
        self.task(id).cloned()
    }

    pub(crate) fn delete_task(&mut self, id: TaskId) -> Done {
        if let Some(session) = self.task(id)?.session {
            return refuse(Conflict::HasSession(session));
        }
        self.forget_tasks(|task| task.id == id);
        Ok(())
    }

    pub(crate) fn task_step(&mut self, id: TaskId, step: &'static str) -> Done<Task> {
        let task = self.task(id)?;
        if let (Some(session), "completed") = (task.session, step) {
            return refuse(Conflict::HasSession(session));
        }
        task.state = match (task.state, step) {
            (TaskState::Backlog, "activated") | (TaskState::Done, "reopened") => TaskState::Active,
            (TaskState::Active, "completed") => TaskState::Done,
            (state, step) => {
                return Err(StoreError::WrongState { what: Object::Task(id), is: state.as_str(), step });
            }
        };
        Ok(task.clone())
    }

    pub(crate) fn begin(
        &mut self,
        id: TaskId,
        new: &NewTaskSession,
        worker: &NewWorker,
        now: Timestamp,
    ) -> Done<Task> {
        let Task { state, session, repository, .. } = *self.task(id)?;
        if state != TaskState::Active {
            let (what, is) = (Object::Task(id), state.as_str());
            return Err(StoreError::WrongState { what, is, step: "started" });
        }
        if let Some(session) = session {
            return refuse(Conflict::HasSession(session));
        }
        self.refuse_taken(new.id, worker.id, Some(&new.worktree))?;
        self.worktrees.push(Worktree {
            id: new.worktree.id,
            repository,
            path: new.worktree.path.clone(),
            branch: new.worktree.branch.clone(),
            base_commit: None,
            made_by_abide: true,
            place: WorktreePlace::Making,
            created_at: now,
        });
        let kind = SessionKind::Worktree { repository, worktree: new.worktree.id };
        let location = new.worktree.path.clone();
        self.put_session(NewSession { id: new.id, kind, location, title: None }, Some(id), now);
        self.put_worker(new.id, worker, true, now);
        let task = self.task(id)?;
        (task.session, task.session_started_at) = (Some(new.id), Some(now));
        Ok(task.clone())
    }

    fn refuse_taken(&mut self, session: SessionId, worker: WorkerId, tree: Option<&NewWorktree>) -> Done {
        if let Some(tree) = tree {
            if self.worktree(tree.id).is_ok() {
                return refuse(Conflict::IdTaken(Object::Worktree(tree.id)));
            }
            if let Some(at) = self.worktrees.iter().find(|known| known.path == tree.path && is_there(known)) {
                return refuse(Conflict::WorktreeKnown(at.id));
            }
        }
        if self.session(session).is_ok() {
            return refuse(Conflict::IdTaken(Object::Session(session)));
        }
        if self.worker(worker).is_ok() {
            return refuse(Conflict::IdTaken(Object::Worker(worker)));
        }
        Ok(())
    }

    fn put_session(&mut self, new: NewSession, task: Option<TaskId>, now: Timestamp) {
        let NewSession { id, kind, location, title } = new;
        let (notices, created_at, closed_at) = (Vec::new(), now, None);
        self.sessions.push(Session { id, kind, location, task, title, notices, created_at, closed_at });
    }

    fn put_worker(&mut self, session: SessionId, new: &NewWorker, primary: bool, now: Timestamp) {
        self.workers.push(Worker {
            id: new.id,
            session,
            kind: new.kind.clone(),
            name: new.name.clone(),
            command: new.command.clone(),
            life: WorkerLife::Pending,
            activity: Activity::Unknown,
            position: 0,
            primary,
            replaced: false,
            created_at: now,
            started_at: None,
            ended_at: None,
        });
        self.number();
    }

    pub(crate) fn archive(&mut self, id: TaskId, now: Timestamp, complete: bool) -> Done<Option<SessionId>> {
        let task = self.task(id)?;
        if complete && task.state != TaskState::Active {
            let (what, is) = (Object::Task(id), task.state.as_str());
            return Err(StoreError::WrongState { what, is, step: "completed" });
        }
        let session = task.session.take();
        task.session_started_at = None;
        task.state = if complete { TaskState::Done } else { task.state };
        if let Some(session) = session {
            let archived = self.session(session)?;
            archived.closed_at = Some(now);
            if let SessionKind::Worktree { worktree, .. } = archived.kind {
                let place = &mut self.worktree(worktree)?.place;
                if *place == WorktreePlace::Ready {
                    *place = WorktreePlace::Kept { reason: KeptReason::AwaitsTrash };
                }
            }
        }
        Ok(session)
    }

    pub(crate) fn create_session(
        &mut self,
        new: &NewSession,
        worker: &NewWorker,
        now: Timestamp,
    ) -> Done<SessionWithWorkers> {
        if let SessionKind::Worktree { worktree, .. } = new.kind {
            let place = self.worktree(worktree)?.place.clone();
            if !matches!(place, WorktreePlace::Making | WorktreePlace::Ready) {
                let (what, is) = (Object::Worktree(worktree), place.as_str());
                return Err(StoreError::WrongState { what, is, step: "worked in" });
            }
        }
        self.refuse_taken(new.id, worker.id, None)?;
        self.put_session(new.clone(), None, now);
        self.put_worker(new.id, worker, true, now);
        let session = self.session(new.id)?.clone();
        Ok(self.with_workers(session))
    }

    pub(crate) fn with_workers(&self, session: Session) -> SessionWithWorkers {
        let workers = self.workers.iter().filter(|worker| worker.session == session.id).cloned().collect();
        SessionWithWorkers { session, workers }
    }

    fn refuse_task_of(&self, session: SessionId) -> Done {
        let task = self.tasks.iter().find(|task| task.session == Some(session));
        task.map_or(Ok(()), |task| refuse(Conflict::SessionOfTask(task.id)))
    }

    pub(crate) fn close_session(&mut self, id: SessionId, now: Timestamp) -> Done<Session> {
        self.refuse_task_of(id)?;
        // In this world, workers never get beyond their start.
        if self.workers.iter().any(|worker| worker.session == id) {
            let what = Object::Session(id);
            return Err(StoreError::WrongState { what, is: "still being made", step: "closed" });
        }
        let session = self.session(id)?;
        session.closed_at = session.closed_at.or(Some(now));
        Ok(session.clone())
    }

    pub(crate) fn delete_session(&mut self, id: SessionId) -> Done {
        self.refuse_task_of(id)?;
        self.session(id)?;
        self.sessions.retain(|session| session.id != id);
        self.workers.retain(|worker| worker.session != id);
        Ok(())
    }

    pub(crate) fn add_worker(&mut self, session: SessionId, new: &NewWorker, now: Timestamp) -> Done<Worker> {
        if self.session(session)?.closed_at.is_some() {
            let (what, is) = (Object::Session(session), "closed");
            return Err(StoreError::WrongState { what, is, step: "given a worker" });
        }
        if self.worker(new.id).is_ok() {
            return refuse(Conflict::IdTaken(Object::Worker(new.id)));
        }
        self.put_worker(session, new, false, now);
        self.worker(new.id).cloned()
    }

    pub(crate) fn remove_worker(&mut self, id: WorkerId) -> Done {
        let Worker { session, primary, .. } = *self.worker(id)?;
        if primary && self.refuse_task_of(session).is_err() {
            return refuse(Conflict::PrimaryWorker(id));
        }
        self.workers.retain(|worker| worker.id != id);
        self.number();
        Ok(())
    }

    pub(crate) fn reverse_workers(&mut self, session: SessionId) -> Done<Vec<Worker>> {
        self.session(session)?;
        let (mut of_it, others): (Vec<_>, Vec<_>) =
            self.workers.drain(..).partition(|worker| worker.session == session);
        of_it.reverse();
        self.workers = others.into_iter().chain(of_it).collect();
        self.number();
        Ok(self.workers.iter().filter(|worker| worker.session == session).cloned().collect())
    }

    pub(crate) fn trash(&mut self, id: WorktreeId, trash: Trash, now: Timestamp) -> Done<Worktree> {
        let Trash { path, head, branch } = trash;
        let worktree = self.worktree(id)?;
        if !is_there(worktree) {
            let (what, is) = (Object::Worktree(id), worktree.place.as_str());
            return Err(StoreError::WrongState { what, is, step: "trashed" });
        }
        worktree.place = WorktreePlace::Trashed { path, at: now, head, branch };
        Ok(worktree.clone())
    }

    pub(crate) fn take_back(&mut self, id: WorktreeId) -> Done<Worktree> {
        let worktree = self.worktree(id)?.clone();
        if !matches!(worktree.place, WorktreePlace::Trashed { .. }) {
            let (what, is) = (Object::Worktree(id), worktree.place.as_str());
            return Err(StoreError::WrongState { what, is, step: "taken back" });
        }
        self.repository(worktree.repository)?;
        if let Some(at) = self.worktrees.iter().find(|known| known.path == worktree.path && is_there(known)) {
            return refuse(Conflict::WorktreeKnown(at.id));
        }
        let worktree = self.worktree(id)?;
        worktree.place = WorktreePlace::Ready;
        Ok(worktree.clone())
    }
}
