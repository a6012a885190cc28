//! Any sequence of steps: the store and the plain lists agree after each.

use std::collections::HashSet;
use std::fmt::Debug;

use jiff::Timestamp;
use model::{RepositoryId, SessionId, TaskId};
use store::{
    NewSession, Repository, SessionFilter, SessionKind, Store, StoreError, TaskChange, TaskFilter, Trash,
};
use testkit::Random;

use crate::support::{
    agent, archive, at, in_memory, new_task, new_task_session, quick, session_id, task_id, terminal,
    worker_id, worktree_id,
};
use crate::world::World;

/// So few of each that ids are taken, and paths met again.
const SESSIONS: usize = 12;
const WORKERS: usize = 16;
const WORKTREES: usize = 100;
const PATHS: usize = 10;

struct Both {
    store: Store,
    world: World,
    random: Random,
    now: Timestamp,
}

#[track_caller]
fn agree<T: Debug + PartialEq>(got: Result<T, StoreError>, expected: Result<T, StoreError>) {
    assert_eq!(got, expected);
}

impl Both {
    fn number(&mut self, below: usize) -> u32 {
        self.random.below(below) as u32
    }

    fn repository(&mut self) -> RepositoryId {
        let index = self.random.below(self.world.repositories.len());
        self.world.repositories.get(index).map_or(RepositoryId::from_random([9; 8]), |known| known.id)
    }

    fn task(&mut self) -> TaskId {
        let index = self.random.below(self.world.tasks.len() + 1);
        self.world.tasks.get(index).map_or(task_id(999), |known| known.id)
    }

    fn session(&mut self) -> SessionId {
        session_id(self.number(SESSIONS))
    }

    /// Takes one step in the store and in the lists.
    fn step(&mut self) {
        let now = self.now;
        match self.random.below(20) {
            0 | 1 => self.add_repository(),
            2 => {
                let (id, with_tasks) = (self.repository(), self.random.percent(50));
                let removed = self.store.remove_repository(id, with_tasks, now);
                agree(removed, self.world.remove_repository(id, with_tasks));
            }
            3 | 4 => {
                let new = new_task(self.repository(), "a task");
                let got = self.store.create_task(&new, now);
                let id = got.as_ref().map_or(task_id(0), |task| task.id);
                agree(got, self.world.create_task(id, &new, now));
            }
            5 => {
                let (id, position) = (self.task(), self.random.below(4));
                let change = TaskChange { position: Some(position), ..TaskChange::default() };
                agree(self.store.update_task(id, &change), self.world.move_task(id, position));
            }
            6 => {
                let id = self.task();
                agree(self.store.delete_task(id), self.world.delete_task(id));
            }
            7 | 8 => {
                let id = self.task();
                agree(self.store.activate_task(id), self.world.task_step(id, "activated"));
            }
            9 => {
                let id = self.task();
                agree(self.store.complete_task(id), self.world.task_step(id, "completed"));
                agree(self.store.reopen_task(id), self.world.task_step(id, "reopened"));
            }
            10 | 11 => {
                let (id, worker) = (self.task(), agent(self.number(WORKERS)));
                let mut new = new_task_session(self.number(WORKTREES));
                new.id = self.session();
                new.worktree.path = format!("/worktrees/{}", self.number(PATHS)).into();
                let got = self.store.begin_session(id, &new, &worker, now).map(|begun| begun.task);
                agree(got, self.world.begin(id, &new, &worker, now));
            }
            12 => {
                let (id, complete) = (self.task(), self.random.percent(30));
                let got = archive(&self.store, id, now, None, complete);
                let got = got.map(|archived| archived.map(|archived| archived.session.id));
                agree(got, self.world.archive(id, now, complete));
            }
            13 => self.create_session(),
            14 => {
                let id = self.session();
                agree(self.store.close_session(id, now), self.world.close_session(id, now));
            }
            15 => {
                let id = self.session();
                agree(self.store.delete_session(id), self.world.delete_session(id));
            }
            16 => {
                let (session, new) = (self.session(), terminal(self.number(WORKERS)));
                let got = self.store.add_worker(session, &new, now);
                agree(got, self.world.add_worker(session, &new, now));
            }
            17 => {
                let id = worker_id(self.number(WORKERS));
                agree(self.store.remove_worker(id), self.world.remove_worker(id));
            }
            18 => {
                let session = self.session();
                let reversed = self.store.workers(session).and_then(|workers| {
                    let ids: Vec<_> = workers.iter().rev().map(|worker| worker.id).collect();
                    self.store.reorder_workers(session, &ids)
                });
                agree(reversed, self.world.reverse_workers(session));
            }
            _ => {
                let index = self.random.below(self.world.worktrees.len() + 1);
                let id = self.world.worktrees.get(index).map_or(worktree_id(999), |known| known.id);
                let trash = Trash { path: "/trash".into(), head: Some("c0ffee".to_owned()), branch: None };
                if self.random.percent(70) {
                    let got = self.store.trash_worktree(id, trash.clone(), now);
                    agree(got, self.world.trash(id, trash, now));
                } else {
                    agree(self.store.take_back_worktree(id), self.world.take_back(id));
                }
            }
        }
    }

    fn add_repository(&mut self) {
        let path = format!("/code/{}", self.number(4));
        let got = self.store.add_repository(path.as_ref(), "code", self.now);
        let id = got.as_ref().map_or(RepositoryId::from_random([9; 8]), |known| known.id);
        let new = Repository { id, path: path.into(), name: "code".to_owned(), created_at: self.now };
        agree(got, self.world.add_repository(new));
    }

    fn create_session(&mut self) {
        let (mut new, worker) = (quick(self.number(SESSIONS)), terminal(self.number(WORKERS)));
        if let Some(worktree) = self.world.worktrees.get(self.random.below(SESSIONS)) {
            let kind = SessionKind::Worktree { repository: worktree.repository, worktree: worktree.id };
            new = NewSession { kind, location: worktree.path.clone(), ..new };
        }
        let got = self.store.create_session(&new, Some(&worker), self.now);
        agree(got, self.world.create_session(&new, &worker, self.now));
    }

    fn assert_same(&self) {
        let (store, world) = (&self.store, &self.world);
        let mut repositories = world.repositories.clone();
        repositories.sort_by_key(|known| known.created_at);
        assert_eq!(store.repositories().unwrap(), repositories);
        assert_eq!(store.worktrees(None).unwrap(), world.worktrees);
        let mut tasks = world.tasks.clone();
        let order = |id| repositories.iter().position(|known| known.id == id);
        tasks.sort_by_key(|task| (order(task.repository), task.position));
        assert_eq!(store.tasks(TaskFilter::default()).unwrap(), tasks);
        let sessions: Vec<_> =
            world.sessions.iter().map(|session| world.with_workers(session.clone())).collect();
        assert_eq!(store.sessions_with_workers(SessionFilter::All).unwrap(), sessions);
    }

    /// Checks what must be true after any steps, from the store alone.
    fn assert_invariants(&self) {
        self.store.check().unwrap();
        let sessions = self.store.sessions_with_workers(SessionFilter::All).unwrap();
        let mut with_task = HashSet::new();
        for task in self.store.tasks(TaskFilter::default()).unwrap() {
            self.store.repository(task.repository).unwrap();
            let Some(id) = task.session else { continue };
            assert!(with_task.insert(id), "two tasks have one session");
            let its = sessions.iter().find(|known| known.session.id == id).expect("its session");
            assert_eq!((its.session.task, its.session.closed_at), (Some(task.id), None));
            assert_eq!(its.workers.iter().filter(|worker| worker.primary).count(), 1);
        }
        for known in sessions {
            let positions = known.workers.iter().map(|worker| worker.position);
            assert!(positions.eq(0..known.workers.len() as i64));
            if let SessionKind::Worktree { worktree, repository } = known.session.kind {
                assert_eq!(self.store.worktree(worktree).unwrap().repository, repository);
            }
        }
    }
}

#[test]
fn after_any_steps_the_store_holds_what_it_should() {
    for seed in 0..30 {
        println!("seed {seed}");
        let (store, random) = (in_memory(), Random::new(seed));
        let mut both = Both { store, world: World::default(), random, now: at(0) };
        for step in 1..=200 {
            both.now = at(step);
            both.step();
            both.assert_same();
            if step % 20 == 0 {
                both.assert_invariants();
            }
        }
    }
}
