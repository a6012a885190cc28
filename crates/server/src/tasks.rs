//! A task's life: written down, started, cancelled, archived, finished.

mod archive;
mod cancel;
mod start;

use api::{CreateTask, ErrorCode, Problem, UpdateTask};
use jiff::Timestamp;
use model::{TaskId, TaskState, WorkerId};
use store::{NewTask, Task, TaskChange};

use crate::rooms::Tasks;
use crate::tokens::Principal;
use crate::{texts, views};

/// What to do with a task that is being started and must not be.
const CANCEL_FIRST: &str = "its session is being started; cancel that with `session/cancel` first";

/// A step of a task's life that needs nothing but the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskStep {
    Activate,
    Reopen,
}

impl Tasks {
    /// One task.
    pub(crate) async fn get(&self, id: TaskId) -> Result<api::Task, Problem> {
        let app = self.clone();
        self.read(move |store| views::task(store, &store.task(id)?, app.lives())).await
    }

    /// All tasks, or some.
    pub(crate) async fn list(&self, filter: store::TaskFilter) -> Result<Vec<api::Task>, Problem> {
        let app = self.clone();
        self.read(move |store| {
            let tasks = store.tasks(filter)?;
            tasks.iter().map(|task| views::task(store, task, app.lives())).collect()
        })
        .await
    }

    /// The worker of a task's session.
    pub(crate) async fn worker(&self, id: TaskId) -> Result<WorkerId, Problem> {
        let task = self.get(id).await?;
        task.worker_id.ok_or_else(|| {
            Problem::new(ErrorCode::NoSession, "the task has no session")
                .hint("start it with `session/start`")
        })
    }

    /// Writes down a task.
    pub(crate) async fn create(&self, who: &Principal, create: CreateTask) -> Result<api::Task, Problem> {
        if let Some(agent) = &create.agent_id {
            self.agent(agent)?;
        }
        let new = NewTask {
            repository: create.project_id,
            title: texts::line("title", &create.title)?,
            description: match &create.description {
                Some(text) => texts::description(text)?,
                None => None,
            },
            pinned: create.pinned,
            agent: create.agent_id,
        };
        let task = self.step(move |store| store.create_task(&new, Timestamp::now())).await?;
        self.access().record(who, "task.create", task.id, None).await;
        self.get(task.id).await
    }

    /// Changes what is written down.
    pub(crate) async fn update(&self, id: TaskId, update: UpdateTask) -> Result<api::Task, Problem> {
        if let Some(agent) = update.agent_id.as_deref().filter(|agent| !agent.is_empty()) {
            self.agent(agent)?;
        }
        let change = TaskChange {
            title: update.title.map(|title| texts::line("title", &title)).transpose()?,
            description: match update.description {
                Some(text) => Some(texts::description(&text)?),
                None => None,
            },
            pinned: update.pinned,
            agent: update.agent_id.map(|agent| (!agent.is_empty()).then_some(agent)),
            position: update.position.map(|position| usize::try_from(position).unwrap_or(0)),
        };
        self.step(move |store| store.update_task(id, &change)).await?;
        self.get(id).await
    }

    /// Forgets a task without a session.
    pub(crate) async fn delete(&self, who: &Principal, id: TaskId) -> Result<(), Problem> {
        if let Err(problem) = self.step(move |store| store.delete_task(id)).await {
            let is_starting = problem.code() == ErrorCode::HasSession && self.is_starting(id).await;
            return Err(if is_starting { problem.hint(CANCEL_FIRST) } else { problem });
        }
        self.access().record(who, "task.delete", id, None).await;
        Ok(())
    }

    /// Takes a step of a task's life that needs nothing else.
    pub(crate) async fn take_step(
        &self,
        who: &Principal,
        id: TaskId,
        step: TaskStep,
    ) -> Result<api::Task, Problem> {
        let stepped = self.step(move |store| match step {
            TaskStep::Activate => store.activate_task(id),
            TaskStep::Reopen => store.reopen_task(id),
        });
        stepped.await?;
        let action = match step {
            TaskStep::Activate => "task.activate",
            TaskStep::Reopen => "task.reopen",
        };
        self.access().record(who, action, id, None).await;
        self.get(id).await
    }

    /// Past sessions of a task, newest first.
    pub(crate) async fn session_logs(&self, id: TaskId) -> Result<Vec<api::SessionLog>, Problem> {
        let logs = self.read(move |store| store.session_logs(id)).await?;
        Ok(logs.into_iter().map(views::session_log).collect())
    }
}

/// Refuses a task that nothing can be started for.
fn refuse_inactive(task: &Task) -> Result<(), Problem> {
    if task.state == TaskState::Active {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::TaskNotActive, format!("the task is in state {}", task.state.as_str()))
        .hint("activate or reopen it first"))
}
