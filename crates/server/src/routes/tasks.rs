//! Tasks.

use api::{ArchivedTask, CreateTask, Problem, Resize, SessionLog, Task, TaskStatus, UpdateTask};
use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use model::{RepositoryId, TaskId, TaskState, TermSize};
use serde::Deserialize;
use store::TaskFilter;

use super::Who;
use crate::app::App;
use crate::dialects;
use crate::problem::{Failure, Json, Path, Query};

/// Which tasks are asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Which {
    project_id: Option<RepositoryId>,
    status: Option<TaskStatus>,
}

/// All tasks, or some.
#[utoipa::path(get, path = "/api/tasks", tag = "tasks",
    params(("projectId" = Option<String>, Query, description = "of this repository alone"),
        ("status" = Option<TaskStatus>, Query, description = "in this status alone")),
    responses((status = 200, body = Vec<Task>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(which): Query<Which>,
) -> Result<Json<Vec<Task>>, Failure> {
    let state = which.status.map(|status| match status {
        TaskStatus::Backlog => TaskState::Backlog,
        TaskStatus::Active => TaskState::Active,
        TaskStatus::Done => TaskState::Done,
    });
    Ok(Json(app.tasks(TaskFilter { repository: which.project_id, state }).await?))
}

/// Writes down a task.
#[utoipa::path(post, path = "/api/tasks", tag = "tasks", request_body = CreateTask,
    responses((status = 201, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<App>,
    Extension(who): Who,
    Json(create): Json<CreateTask>,
) -> Result<(StatusCode, Json<Task>), Failure> {
    Ok((StatusCode::CREATED, Json(app.create_task(&who, create).await?)))
}

/// One task.
#[utoipa::path(get, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn get(State(app): State<App>, Path(id): Path<TaskId>) -> Result<Json<Task>, Failure> {
    Ok(Json(app.task(id).await?))
}

/// Changes what is written down: title, description, pinned, agent, position.
#[utoipa::path(patch, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")), request_body = UpdateTask,
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn update(
    State(app): State<App>,
    Path(id): Path<TaskId>,
    Json(update): Json<UpdateTask>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.update_task(id, update).await?))
}

/// Forgets a task that has no session.
#[utoipa::path(delete, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn delete(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<StatusCode, Failure> {
    app.delete_task(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Work on a task begins.
#[utoipa::path(post, path = "/api/tasks/{taskId}/activate", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn activate(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.step_task(&who, id, "activate").await?))
}

/// A task was not finished after all.
#[utoipa::path(post, path = "/api/tasks/{taskId}/reopen", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn reopen(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.step_task(&who, id, "reopen").await?))
}

/// A task is finished. Its session, if it has one, is archived.
#[utoipa::path(post, path = "/api/tasks/{taskId}/complete", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = ArchivedTask), (status = "4XX", body = Problem)))]
pub(crate) async fn complete(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<ArchivedTask>, Failure> {
    Ok(Json(app.complete_task(&who, id).await?))
}

/// Starts a task's session: a worktree on a fresh branch, and the agent in it.
#[utoipa::path(post, path = "/api/tasks/{taskId}/session/start", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 202, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn start(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.start_task(&who, id).await?)))
}

/// Archives a task's session, and starts another.
#[utoipa::path(post, path = "/api/tasks/{taskId}/session/retry", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 202, body = ArchivedTask), (status = "4XX", body = Problem)))]
pub(crate) async fn retry(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<ArchivedTask>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.retry_task(&who, id).await?)))
}

/// A task's past sessions, newest first.
#[utoipa::path(get, path = "/api/tasks/{taskId}/session-logs", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Vec<SessionLog>), (status = "4XX", body = Problem)))]
pub(crate) async fn session_logs(
    State(app): State<App>,
    Path(id): Path<TaskId>,
) -> Result<Json<Vec<SessionLog>>, Failure> {
    Ok(Json(app.session_logs(id).await?))
}

/// Resizes the terminal of a task's session, in the order in which its viewer types.
#[utoipa::path(post, path = "/api/tasks/{taskId}/terminal/resize", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")), request_body = Resize,
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn resize(
    State(app): State<App>,
    Path(id): Path<TaskId>,
    Json(size): Json<Resize>,
) -> Result<StatusCode, Failure> {
    dialects::resize_task(&app, id, TermSize::clamped(size.cols, size.rows)).await?;
    Ok(StatusCode::NO_CONTENT)
}
