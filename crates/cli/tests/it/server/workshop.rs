//! A server with a registered repository and stand-ins for agents: where most tests begin.

use std::fs;
use std::path::{Path, PathBuf};

use api::{ArchivedTask, SessionStatus, Task};
use model::{RepositoryId, TaskId, WorkerId};
use serde_json::{Value, json};

use super::{Repository, Server};
use crate::house::{House, wait_for};

/// What stands in for agents:
///
/// - `fake` shows what it is told, and waits for a line
/// - `witness` writes its arguments to the file `arguments` in the data directory, each with a NUL behind it
/// - `ends` and `breaks` end at once, well and otherwise
/// - `absent` is not installed
const AGENTS: &str = r#"
[[agent]]
id = "fake"
name = "Fake"
command = ["sh", "-c", "echo \"told: $0\"; read x; exit 0"]
prompt = ["{prompt}"]
continue = ["to go on"]

[[agent]]
id = "witness"
name = "Witness"
command = ["sh", "-c", "printf '%s\\0' \"$@\" >\"$HOME/heard\"; mv \"$HOME/heard\" \"$HOME/arguments\"; read x", "witness"]
prompt = ["{prompt}"]

[[agent]]
id = "ends"
name = "Ends"
command = ["true"]

[[agent]]
id = "breaks"
name = "Breaks"
command = ["sh", "-c", "echo broken; exit 7"]

[[agent]]
id = "absent"
name = "Absent"
command = ["abide-has-no-such-agent"]
"#;

/// A server with a registered repository.
pub(crate) struct Workshop {
    // In this order: the server goes before its house.
    pub(crate) server: Server,
    pub(crate) repository: Repository,
    pub(crate) id: RepositoryId,
    pub(crate) house: House,
}

impl Workshop {
    pub(crate) fn new() -> Workshop {
        Workshop::in_house(House::new())
    }

    pub(crate) fn in_house(house: House) -> Workshop {
        let repository = Repository::new(house.path(), "project");
        Workshop::of(house, repository)
    }

    /// One whose server has these variables.
    pub(crate) fn with(house: House, variables: &[(&str, &str)]) -> Workshop {
        let repository = Repository::new(house.path(), "project");
        write_agents(&house);
        let server = Server::start_with(&house, variables);
        Workshop::register(server, house, repository)
    }

    /// One of a repository that the test made.
    pub(crate) fn of(house: House, repository: Repository) -> Workshop {
        write_agents(&house);
        let server = Server::start(&house);
        Workshop::register(server, house, repository)
    }

    fn register(server: Server, house: House, repository: Repository) -> Workshop {
        let path = json!({"path": repository.text()});
        let registered: api::Repository = server.post("/api/repositories", path).ok(201);
        Workshop { server, repository, id: registered.id, house }
    }

    /// Kills the server without any warning, and starts another.
    pub(crate) fn kill_and_start(self) -> Workshop {
        let Workshop { server, repository, id, house } = self;
        server.kill();
        let server = Server::start(&house);
        Workshop { server, repository, id, house }
    }

    /// Writes down a task for `fake`, and activates it.
    pub(crate) fn task(&self, title: &str) -> Task {
        self.task_of(json!({"title": title, "agentId": "fake"}))
    }

    /// The same, with more said about it.
    pub(crate) fn task_of(&self, mut task: Value) -> Task {
        task["projectId"] = json!(self.id);
        let task: Task = self.server.post("/api/tasks", task).ok(201);
        self.step(task.id, "activate")
    }

    /// One of a task's steps that answer with it.
    pub(crate) fn step(&self, id: TaskId, step: &str) -> Task {
        self.server.step(&format!("/api/tasks/{id}/{step}")).ok(200)
    }

    /// Starts a task's session, and waits until its agent runs.
    pub(crate) fn start(&self, id: TaskId) -> Task {
        let _: Task = self.server.step(&format!("/api/tasks/{id}/session/start")).ok(202);
        self.wait_for_status(id, SessionStatus::Running)
    }

    /// Starts a task's session, which fails, and gives the reason.
    pub(crate) fn fail(&self, id: TaskId) -> String {
        let _: Task = self.server.step(&format!("/api/tasks/{id}/session/start")).ok(202);
        let failed = self.wait_for_status(id, SessionStatus::Failed);
        failed.session_error.expect("a failure has a reason")
    }

    /// A task whose agent runs.
    pub(crate) fn running(&self, title: &str) -> Task {
        self.start(self.task(title).id)
    }

    pub(crate) fn wait_for_status(&self, id: TaskId, status: SessionStatus) -> Task {
        self.server.wait_for_task(id, &format!("a session that is {status:?}"), |task| {
            assert!(
                status == SessionStatus::Failed || task.session_status != Some(SessionStatus::Failed),
                "{task:?}"
            );
            task.session_status == Some(status)
        })
    }

    pub(crate) fn complete(&self, id: TaskId) -> ArchivedTask {
        self.server.step(&format!("/api/tasks/{id}/complete")).ok(200)
    }

    /// A worktree on a new branch, or on this one.
    pub(crate) fn worktree(&self, branch: Option<&str>) -> api::Worktree {
        let path = format!("/api/repositories/{}/worktrees", self.id);
        self.server.post(&path, json!({ "branch": branch })).ok(201)
    }

    pub(crate) fn worktrees(&self) -> Vec<api::Worktree> {
        self.server.get("/api/worktrees").ok(200)
    }

    /// Has the repository ask for commands.
    pub(crate) fn asks_for(&self, setup: &[&str], teardown: &[&str]) {
        let text = format!("[worktree]\nsetup = {setup:?}\nteardown = {teardown:?}\n");
        self.repository.write(".abide.toml", &text);
        self.repository.commit("what to run");
    }

    /// The same, and agrees to them.
    pub(crate) fn runs(&self, setup: &[&str], teardown: &[&str]) {
        self.asks_for(setup, teardown);
        let path = format!("/api/repositories/{}/provisioning", self.id);
        let wanted: api::Provisioning = self.server.get(&path).ok(200);
        let agree = json!({"hash": wanted.hash});
        let agreed: api::Provisioning = self.server.post(&format!("{path}/agree"), agree).ok(200);
        assert!(agreed.agreed);
    }

    /// Waits until a worker has printed this.
    pub(crate) fn wait_for_output(&self, worker: WorkerId, text: &str) {
        let worker = self.house.called(worker.as_str());
        let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        wait_for(&format!("`{text}` printed"), || holds(&worker.recorded()).then_some(()));
    }

    /// The worktrees that git knows of, but for the first one, and that are not in the trash.
    pub(crate) fn linked(&self) -> Vec<PathBuf> {
        let list = self.repository.git(&["worktree", "list", "--porcelain"]);
        let paths = list.lines().filter_map(|line| line.strip_prefix("worktree ")).map(PathBuf::from);
        let trash = self.house.path().canonicalize().expect("the house").join("trash");
        paths.skip(1).filter(|path| !path.starts_with(&trash)).collect()
    }

    pub(crate) fn branches(&self) -> Vec<String> {
        let list = self.repository.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        list.lines().map(str::to_owned).collect()
    }
}

pub(super) fn write_agents(house: &House) {
    fs::write(house.path().join("agents.toml"), AGENTS).expect("the file");
}

/// The directory of a task's session.
pub(crate) fn place(task: &Task) -> &Path {
    Path::new(task.worktree_path.as_deref().expect("it has a worktree"))
}
