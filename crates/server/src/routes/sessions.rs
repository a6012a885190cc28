//! Sessions, and the workers in them.

use api::{
    CreateSession, CreateWorker, ImportReply, Problem, Restart, Session, SessionReply, UpdateSession,
    UpdateWorker, Worker, WorkerReply,
};
use axum::Extension;
use http::StatusCode;
use model::{SessionId, WorkerId};

use super::{Mine, Who};
use crate::app::App;
use crate::problem::{Failure, Json, JsonList, MaybeJson, Path};

/// All sessions that are not closed.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions",
    responses((status = 200, body = Vec<Session>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine) -> Result<Json<Vec<Session>>, Failure> {
    Ok(Json(app.sessions().list().await?))
}

/// Makes a session, with an agent if the request names one.
#[utoipa::path(post, path = "/api/sessions", tag = "sessions", request_body = CreateSession,
    responses((status = 201, body = SessionReply), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    Mine(app): Mine,
    Extension(who): Who,
    Json(create): Json<CreateSession>,
) -> Result<(StatusCode, Json<SessionReply>), Failure> {
    let session = app.sessions().create(&who, create).await?;
    Ok((StatusCode::CREATED, Json(SessionReply { session })))
}

/// Imports the sessions of agent-console: the contents of its `sessions.json`, in the old or the new format.
#[utoipa::path(post, path = "/api/sessions/import", tag = "sessions", request_body = Vec<serde_json::Value>,
    responses((status = 200, body = ImportReply), (status = "4XX", body = Problem)))]
pub(crate) async fn import(
    Mine(app): Mine,
    Extension(who): Who,
    JsonList(sessions): JsonList<serde_json::Value>,
) -> Result<Json<ImportReply>, Failure> {
    Ok(Json(app.sessions().import(&who, sessions).await?))
}

/// One session with its workers.
#[utoipa::path(get, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn get(Mine(app): Mine, Path(id): Path<SessionId>) -> Result<Json<Session>, Failure> {
    Ok(Json(app.sessions().get(id).await?))
}

/// Changes a session's title and the order of its tabs.
#[utoipa::path(patch, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")), request_body = UpdateSession,
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn update(
    Mine(app): Mine,
    Path(id): Path<SessionId>,
    Json(update): Json<UpdateSession>,
) -> Result<Json<Session>, Failure> {
    Ok(Json(app.sessions().update(id, update).await?))
}

/// Ends all workers of a session, and removes the session. Its worktree stays.
#[utoipa::path(delete, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn delete(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<SessionId>,
) -> Result<StatusCode, Failure> {
    app.sessions().delete(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Starts a session's agents again. Each continues its own conversation. Its notices name those that could not.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/restart", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")), request_body = Option<Restart>,
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn restart(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<SessionId>,
    restart: MaybeJson<Restart>,
) -> Result<Json<Session>, Failure> {
    Ok(Json(app.sessions().restart(&who, id, restart.0.unwrap_or_default()).await?))
}

/// The workers of a session, in the order of their tabs.
#[utoipa::path(get, path = "/api/sessions/{sessionId}/workers", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 200, body = Vec<Worker>), (status = "4XX", body = Problem)))]
pub(crate) async fn workers(
    Mine(app): Mine,
    Path(id): Path<SessionId>,
) -> Result<Json<Vec<Worker>>, Failure> {
    Ok(Json(app.sessions().get(id).await?.workers))
}

/// Adds a worker to a session, and starts it.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/workers", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")), request_body = CreateWorker,
    responses((status = 201, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn add_worker(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<SessionId>,
    Json(create): Json<CreateWorker>,
) -> Result<(StatusCode, Json<WorkerReply>), Failure> {
    let worker = app.workers().add(&who, id, create, None).await?;
    Ok((StatusCode::CREATED, Json(WorkerReply { worker, notice: None })))
}

/// Renames a worker.
#[utoipa::path(patch, path = "/api/sessions/{sessionId}/workers/{workerId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")), request_body = UpdateWorker,
    responses((status = 200, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn rename_worker(
    Mine(app): Mine,
    Path((session, id)): Path<(SessionId, WorkerId)>,
    Json(update): Json<UpdateWorker>,
) -> Result<Json<WorkerReply>, Failure> {
    check_is_of(&app, session, id).await?;
    Ok(Json(WorkerReply { worker: app.workers().rename(id, &update.name).await?, notice: None }))
}

/// Ends a worker, and removes it from its session.
#[utoipa::path(delete, path = "/api/sessions/{sessionId}/workers/{workerId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn close_worker(
    Mine(app): Mine,
    Extension(who): Who,
    Path((session, id)): Path<(SessionId, WorkerId)>,
) -> Result<StatusCode, Failure> {
    check_is_of(&app, session, id).await?;
    app.workers().close(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a worker. It stays in its session, with its recording.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/workers/{workerId}/end", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn end_worker(
    Mine(app): Mine,
    Extension(who): Who,
    Path((session, id)): Path<(SessionId, WorkerId)>,
) -> Result<StatusCode, Failure> {
    check_is_of(&app, session, id).await?;
    app.workers().end_and_keep(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a worker, and starts its command again as a new worker. An agent continues its own conversation, or begins a new
/// one; `notice` says why, if that is not what was asked for. The old worker stays in the session.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/workers/{workerId}/restart", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")), request_body = Option<Restart>,
    responses((status = 200, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn restart_worker(
    Mine(app): Mine,
    Extension(who): Who,
    Path((session, id)): Path<(SessionId, WorkerId)>,
    restart: MaybeJson<Restart>,
) -> Result<Json<WorkerReply>, Failure> {
    check_is_of(&app, session, id).await?;
    Ok(Json(app.workers().restart(&who, id, restart.0.unwrap_or_default()).await?))
}

/// Checks that a worker belongs to this session.
async fn check_is_of(app: &App, session: SessionId, id: WorkerId) -> Result<(), Failure> {
    let worker = app.workers().get(id).await?;
    if worker.session_id == session { Ok(()) } else { Err(Failure::not_found("worker in this session")) }
}
