//! Tasks.

use api::{ArchivedTask, CreateTask, Problem, Resize, SessionLog, Task, UpdateTask};
use axum::Extension;
use http::StatusCode;
use model::{RepositoryId, TaskId, TaskState, TermSize};
use serde::Deserialize;
use store::TaskFilter;

use super::{Mine, Who};
use crate::dialects;
use crate::problem::{Failure, Json, Path, Query};
use crate::tasks::TaskStep;

/// The filter of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Which {
    project_id: Option<RepositoryId>,
    status: Option<TaskState>,
}

/// All tasks, or those that match the filter.
#[utoipa::path(get, path = "/api/tasks", tag = "tasks",
    params(("projectId" = Option<String>, Query, description = "only tasks of this repository"),
        ("status" = Option<TaskState>, Query, description = "only tasks with this status")),
    responses((status = 200, body = Vec<Task>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine, Query(which): Query<Which>) -> Result<Json<Vec<Task>>, Failure> {
    let filter = TaskFilter { repository: which.project_id, state: which.status };
    Ok(Json(app.tasks().list(filter).await?))
}

/// Creates a task.
#[utoipa::path(post, path = "/api/tasks", tag = "tasks", request_body = CreateTask,
    responses((status = 201, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    Mine(app): Mine,
    Extension(who): Who,
    Json(create): Json<CreateTask>,
) -> Result<(StatusCode, Json<Task>), Failure> {
    Ok((StatusCode::CREATED, Json(app.tasks().create(&who, create).await?)))
}

/// One task.
#[utoipa::path(get, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn get(Mine(app): Mine, Path(id): Path<TaskId>) -> Result<Json<Task>, Failure> {
    Ok(Json(app.tasks().get(id).await?))
}

/// Changes a task: title, description, pinned, agent, position.
#[utoipa::path(patch, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")), request_body = UpdateTask,
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn update(
    Mine(app): Mine,
    Path(id): Path<TaskId>,
    Json(update): Json<UpdateTask>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.tasks().update(id, update).await?))
}

/// Deletes a task that has no session.
#[utoipa::path(delete, path = "/api/tasks/{taskId}", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn delete(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<StatusCode, Failure> {
    app.tasks().delete(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Moves a task to `active`.
#[utoipa::path(post, path = "/api/tasks/{taskId}/activate", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn activate(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.tasks().take_step(&who, id, TaskStep::Activate).await?))
}

/// Moves a task from `done` back to `active`.
#[utoipa::path(post, path = "/api/tasks/{taskId}/reopen", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn reopen(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<Task>, Failure> {
    Ok(Json(app.tasks().take_step(&who, id, TaskStep::Reopen).await?))
}

/// Moves a task to `done`. If it has a session, the session is archived.
#[utoipa::path(post, path = "/api/tasks/{taskId}/complete", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = ArchivedTask), (status = "4XX", body = Problem)))]
pub(crate) async fn complete(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<ArchivedTask>, Failure> {
    Ok(Json(app.tasks().complete(&who, id).await?))
}

/// Starts a task's session: makes a worktree on a new branch, and starts the agent in it.
#[utoipa::path(post, path = "/api/tasks/{taskId}/session/start", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 202, body = Task), (status = "4XX", body = Problem)))]
pub(crate) async fn start(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.tasks().start(&who, id).await?)))
}

/// Archives a task's session, and starts a new one.
#[utoipa::path(post, path = "/api/tasks/{taskId}/session/retry", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 202, body = ArchivedTask), (status = "4XX", body = Problem)))]
pub(crate) async fn retry(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<ArchivedTask>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.tasks().retry(&who, id).await?)))
}

/// Cancels the start of a task's session. Ends the programs that the start runs. Removes the worktree unless it
/// contains work.
#[utoipa::path(post, path = "/api/tasks/{taskId}/session/cancel", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = ArchivedTask), (status = "4XX", body = Problem)))]
pub(crate) async fn cancel(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TaskId>,
) -> Result<Json<ArchivedTask>, Failure> {
    Ok(Json(app.tasks().cancel(&who, id).await?))
}

/// A task's past sessions, newest first.
#[utoipa::path(get, path = "/api/tasks/{taskId}/session-logs", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")),
    responses((status = 200, body = Vec<SessionLog>), (status = "4XX", body = Problem)))]
pub(crate) async fn session_logs(
    Mine(app): Mine,
    Path(id): Path<TaskId>,
) -> Result<Json<Vec<SessionLog>>, Failure> {
    Ok(Json(app.tasks().session_logs(id).await?))
}

/// Resizes the terminal of a task's session. The size stays in order with the keys of its viewer.
#[utoipa::path(post, path = "/api/tasks/{taskId}/terminal/resize", tag = "tasks",
    params(("taskId" = String, Path, description = "the task's id")), request_body = Resize,
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn resize(
    Mine(app): Mine,
    Path(id): Path<TaskId>,
    Json(size): Json<Resize>,
) -> Result<StatusCode, Failure> {
    dialects::resize_task(&app, id, TermSize::clamped(size.cols, size.rows)).await?;
    Ok(StatusCode::NO_CONTENT)
}
