//! A client that makes and removes things at a server that is killed all the time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use model::{RepositoryId, SessionId, TaskId, WorktreeId};
use serde_json::{Value, json};
use testkit::Random;
use ureq::http::Method;

use super::door::{Door, NO_SERVER_PAUSE};
use crate::server::Answer;

/// The prefix of the branches of worktrees that a client asks for by themselves. A task's branch has the task's name.
pub(super) const BRANCH: &str = "load-";

/// How many things of a kind there are at a time.
const MOST: usize = 5;

/// A client. No other client removes the things that it made.
pub(super) struct Load<'d> {
    door: &'d Door<'d>,
    random: Random,
    client: u64,
    repository: RepositoryId,
    pub(super) tasks: Vec<Thing<TaskId>>,
    pub(super) sessions: Vec<Thing<SessionId>>,
    pub(super) worktrees: Vec<Thing<WorktreeId>>,
    /// How many requests were answered, by their status; 0 for those that were not.
    answers: BTreeMap<u16, usize>,
    made: u64,
}

/// Something that the server said is there.
#[derive(Clone, Copy)]
pub(super) struct Thing<T> {
    pub(super) id: T,
    /// Whether its removal was asked for, and not answered.
    pub(super) may_be_gone: bool,
}

impl<T> Thing<T> {
    fn new(id: T) -> Thing<T> {
        Thing { id, may_be_gone: false }
    }
}

/// What it does next.
#[derive(Clone, Copy)]
enum Act {
    BeginTask,
    StepTask(&'static str),
    EndTask,
    OpenSession,
    CloseSession,
    MakeWorktree,
    RemoveWorktree,
    TakeBackWorktree,
    /// Something, without waiting for it.
    Leave(Left),
    Look(&'static str),
}

/// What it does not wait for.
#[derive(Clone, Copy)]
enum Left {
    Step(&'static str),
    Worktree,
}

const ACTS: &[(usize, Act)] = &[
    (16, Act::BeginTask),
    (10, Act::StepTask("session/start")),
    (16, Act::StepTask("session/retry")),
    (16, Act::StepTask("complete")),
    (4, Act::StepTask("reopen")),
    (6, Act::EndTask),
    (10, Act::OpenSession),
    (10, Act::CloseSession),
    (6, Act::MakeWorktree),
    (6, Act::RemoveWorktree),
    (4, Act::TakeBackWorktree),
    (4, Act::Leave(Left::Step("session/retry"))),
    (4, Act::Leave(Left::Step("complete"))),
    (2, Act::Leave(Left::Worktree)),
    (2, Act::Look("/api/tasks")),
    (2, Act::Look("/api/sessions")),
    (2, Act::Look("/api/worktrees")),
];

impl<'d> Load<'d> {
    pub(super) fn new(door: &'d Door<'d>, seed: u64, client: u64, repository: RepositoryId) -> Load<'d> {
        Load {
            door,
            random: Random::new(seed),
            client,
            repository,
            tasks: Vec::new(),
            sessions: Vec::new(),
            worktrees: Vec::new(),
            answers: BTreeMap::new(),
            made: 0,
        }
    }

    /// Sends one request after the other until the load is over. It disconnects before an answer only as long as
    /// `may_leave` is set, because nothing tells when such a request is done.
    pub(super) fn run(&mut self, is_over: &AtomicBool, may_leave: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) {
            match self.random.weighted(ACTS) {
                Act::BeginTask => self.begin_task(),
                Act::StepTask(step) => self.step_task(step),
                Act::EndTask => self.end_task(),
                Act::OpenSession => self.open_session(),
                Act::CloseSession => self.close_session(),
                Act::MakeWorktree => self.make_worktree(),
                Act::RemoveWorktree => self.remove_worktree(),
                Act::TakeBackWorktree => self.take_back_worktree(),
                Act::Leave(left) if may_leave.load(Ordering::Relaxed) => self.leave(left),
                Act::Leave(_) => {}
                Act::Look(path) => drop(self.ask(Method::GET, path, None, &[200])),
            }
        }
    }

    fn begin_task(&mut self) {
        if self.tasks.len() >= MOST {
            return;
        }
        self.made += 1;
        let title = format!("task {} of client {}", self.made, self.client);
        let task = json!({"projectId": self.repository, "title": title, "agentId": "fake"});
        let Some(task) = self.ask(Method::POST, "/api/tasks", Some(task), &[201]) else { return };
        let task: api::Task = task.ok(201);
        self.tasks.push(Thing::new(task.id));
        self.ask(Method::POST, &format!("/api/tasks/{}/activate", task.id), None, &[200]);
        self.ask(Method::POST, &format!("/api/tasks/{}/session/start", task.id), None, &[202, 422]);
    }

    /// A task may be anywhere in its life, since steps may have been taken without an answer.
    fn step_task(&mut self, step: &str) {
        let Some(at) = self.any(self.tasks.len()) else { return };
        let task = self.tasks[at];
        let path = format!("/api/tasks/{}/{step}", task.id);
        self.ask(Method::POST, &path, None, &[200, 202, 409, 422, or_gone(task)]);
    }

    fn end_task(&mut self) {
        let Some(at) = self.any(self.tasks.len()) else { return };
        let task = self.tasks[at];
        let answer =
            self.ask(Method::DELETE, &format!("/api/tasks/{}", task.id), None, &[204, 409, or_gone(task)]);
        match answer.map(|answer| answer.status) {
            Some(409) => {}
            Some(_) => drop(self.tasks.swap_remove(at)),
            None => self.tasks[at].may_be_gone = true,
        }
    }

    fn open_session(&mut self) {
        if self.sessions.len() >= MOST {
            return;
        }
        let session = json!({"type": "quick", "locationPath": "/"});
        let Some(session) = self.ask(Method::POST, "/api/sessions", Some(session), &[201]) else { return };
        let session: api::SessionReply = session.ok(201);
        let id = session.session.id;
        self.sessions.push(Thing::new(id));
        for _ in 0..self.random.between(1, 2) {
            let worker = json!({"type": "terminal", "command": ["sh", "-c", "echo hello; read x"]});
            self.ask(Method::POST, &format!("/api/sessions/{id}/workers"), Some(worker), &[201]);
        }
    }

    fn close_session(&mut self) {
        let Some(at) = self.any(self.sessions.len()) else { return };
        let session = self.sessions[at];
        let path = format!("/api/sessions/{}", session.id);
        match self.ask(Method::DELETE, &path, None, &[204, 409, or_gone(session)]) {
            // A worker of it is still being started.
            Some(answer) if answer.status == 409 => {}
            Some(_) => drop(self.sessions.swap_remove(at)),
            None => self.sessions[at].may_be_gone = true,
        }
    }

    fn make_worktree(&mut self) {
        if self.worktrees.len() >= MOST {
            return;
        }
        self.made += 1;
        let branch = json!({"branch": format!("{BRANCH}{}-{}", self.client, self.made)});
        let path = format!("/api/repositories/{}/worktrees", self.repository);
        if let Some(made) = self.ask(Method::POST, &path, Some(branch), &[201]) {
            let made: api::Worktree = made.ok(201);
            self.worktrees.push(Thing::new(made.id));
        }
    }

    /// It goes to the trash, and is still known.
    fn remove_worktree(&mut self) {
        let Some(at) = self.any(self.worktrees.len()) else { return };
        let path = format!("/api/worktrees/{}?force=true", self.worktrees[at].id);
        self.ask(Method::DELETE, &path, None, &[200, 409]);
    }

    fn take_back_worktree(&mut self) {
        let Some(at) = self.any(self.worktrees.len()) else { return };
        let path = format!("/api/worktrees/{}/restore", self.worktrees[at].id);
        self.ask(Method::POST, &path, None, &[200, 409]);
    }

    fn leave(&mut self, left: Left) {
        match left {
            Left::Step(step) => {
                let Some(at) = self.any(self.tasks.len()) else { return };
                self.door.ask_and_leave(&format!("/api/tasks/{}/{step}", self.tasks[at].id), &json!({}));
            }
            Left::Worktree => {
                self.made += 1;
                let branch = json!({"branch": format!("{BRANCH}{}-{}", self.client, self.made)});
                self.door.ask_and_leave(&format!("/api/repositories/{}/worktrees", self.repository), &branch);
            }
        }
    }

    fn any(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| self.random.below(count))
    }

    /// Asks, and sees to it that what is answered can be meant.
    fn ask(&mut self, method: Method, path: &str, body: Option<Value>, may_be: &[u16]) -> Option<Answer> {
        let answer = self.door.ask(method.clone(), path, body);
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        *self.answers.entry(status).or_default() += 1;
        match &answer {
            Some(answer) => assert!(may_be.contains(&answer.status), "{method} {path}: {answer:?}"),
            None => thread::sleep(NO_SERVER_PAUSE),
        }
        answer
    }

    pub(super) fn told(&self) -> String {
        format!("client {} was answered {:?}", self.client, self.answers)
    }
}

/// The status of what is not there, if that may be so.
fn or_gone<T>(thing: Thing<T>) -> u16 {
    if thing.may_be_gone { 404 } else { 200 }
}
