//! Sessions, and the workers in them.

use api::{
    CreateSession, CreateWorker, ImportReply, Problem, Session, SessionReply, UpdateSession, UpdateWorker,
    Worker, WorkerReply,
};
use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use model::{SessionId, WorkerId};

use super::Who;
use crate::app::App;
use crate::changes::Changed;
use crate::problem::{Failure, Json, JsonList, Path};
use crate::{texts, views};

/// All sessions that are not closed.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions",
    responses((status = 200, body = Vec<Session>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Vec<Session>>, Failure> {
    Ok(Json(app.sessions().await?))
}

/// Makes a session, with an agent in it if that is wanted.
#[utoipa::path(post, path = "/api/sessions", tag = "sessions", request_body = CreateSession,
    responses((status = 201, body = SessionReply), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<App>,
    Extension(who): Who,
    Json(create): Json<CreateSession>,
) -> Result<(StatusCode, Json<SessionReply>), Failure> {
    let session = app.create_session(&who, create).await?;
    Ok((StatusCode::CREATED, Json(SessionReply { session })))
}

/// Takes over the sessions of agent-console: the contents of its `sessions.json`, old format or new.
#[utoipa::path(post, path = "/api/sessions/import", tag = "sessions", request_body = Vec<serde_json::Value>,
    responses((status = 200, body = ImportReply), (status = "4XX", body = Problem)))]
pub(crate) async fn import(
    State(app): State<App>,
    Extension(who): Who,
    JsonList(sessions): JsonList<serde_json::Value>,
) -> Result<Json<ImportReply>, Failure> {
    Ok(Json(app.import_sessions(&who, sessions).await?))
}

/// One session with its workers.
#[utoipa::path(get, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn get(State(app): State<App>, Path(id): Path<SessionId>) -> Result<Json<Session>, Failure> {
    Ok(Json(app.session(id).await?))
}

/// Changes a session's title and the order of its tabs.
#[utoipa::path(patch, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")), request_body = UpdateSession,
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn update(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    Json(update): Json<UpdateSession>,
) -> Result<Json<Session>, Failure> {
    Ok(Json(app.update_session(id, update).await?))
}

/// Ends all workers of a session, and forgets it. Its worktree stays.
#[utoipa::path(delete, path = "/api/sessions/{sessionId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn delete(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<SessionId>,
) -> Result<StatusCode, Failure> {
    app.delete_session(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Starts a session's agents once more, each taking up its last conversation.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/restart", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 200, body = Session), (status = "4XX", body = Problem)))]
pub(crate) async fn restart(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<SessionId>,
) -> Result<Json<Session>, Failure> {
    Ok(Json(app.restart_session(&who, id).await?))
}

/// The workers of a session, in the order of their tabs.
#[utoipa::path(get, path = "/api/sessions/{sessionId}/workers", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")),
    responses((status = 200, body = Vec<Worker>), (status = "4XX", body = Problem)))]
pub(crate) async fn workers(
    State(app): State<App>,
    Path(id): Path<SessionId>,
) -> Result<Json<Vec<Worker>>, Failure> {
    Ok(Json(app.session(id).await?.workers))
}

/// Adds a worker to a session, and starts it.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/workers", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id")), request_body = CreateWorker,
    responses((status = 201, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn add_worker(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<SessionId>,
    Json(create): Json<CreateWorker>,
) -> Result<(StatusCode, Json<WorkerReply>), Failure> {
    let worker = app.add_worker(&who, id, create, None).await?;
    Ok((StatusCode::CREATED, Json(WorkerReply { worker })))
}

/// Renames a worker.
#[utoipa::path(patch, path = "/api/sessions/{sessionId}/workers/{workerId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")), request_body = UpdateWorker,
    responses((status = 200, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn rename_worker(
    State(app): State<App>,
    Path((session, id)): Path<(SessionId, WorkerId)>,
    Json(update): Json<UpdateWorker>,
) -> Result<Json<WorkerReply>, Failure> {
    is_of(&app, session, id).await?;
    let name = texts::line("name", &update.name)?;
    let worker = app.save(move |store| store.rename_worker(id, &name)).await?;
    app.changed(Changed::Worker(id));
    Ok(Json(WorkerReply { worker: views::worker(&worker, app.lives()) }))
}

/// Ends a worker, and takes it out of its session.
#[utoipa::path(delete, path = "/api/sessions/{sessionId}/workers/{workerId}", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn close_worker(
    State(app): State<App>,
    Extension(who): Who,
    Path((session, id)): Path<(SessionId, WorkerId)>,
) -> Result<StatusCode, Failure> {
    is_of(&app, session, id).await?;
    app.close_worker(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Starts a worker's command once more: an agent takes up its last conversation. The one that ended stays beside it.
#[utoipa::path(post, path = "/api/sessions/{sessionId}/workers/{workerId}/restart", tag = "sessions",
    params(("sessionId" = String, Path, description = "the session's id"),
        ("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = WorkerReply), (status = "4XX", body = Problem)))]
pub(crate) async fn restart_worker(
    State(app): State<App>,
    Extension(who): Who,
    Path((session, id)): Path<(SessionId, WorkerId)>,
) -> Result<Json<WorkerReply>, Failure> {
    is_of(&app, session, id).await?;
    Ok(Json(WorkerReply { worker: app.restart_worker(&who, id, true).await? }))
}

/// A worker is found in its own session alone.
async fn is_of(app: &App, session: SessionId, id: WorkerId) -> Result<(), Failure> {
    let worker = app.worker(id).await?;
    if worker.session_id == session { Ok(()) } else { Err(Failure::not_found("worker in this session")) }
}
