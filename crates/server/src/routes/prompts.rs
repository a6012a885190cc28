//! Prompts that are sent to workers.

use api::{EditPrompt, Problem, Prompt, SendPrompt, SendPrompts, SentPrompt};
use axum::Extension;
use http::StatusCode;
use model::{PromptId, WorkerId};

use super::{Mine, Who};
use crate::problem::{Failure, Json, Path};

/// The prompts of a worker in the order in which they were sent: the queued ones, and the newest receipts.
#[utoipa::path(get, path = "/api/workers/{workerId}/prompts", tag = "prompts",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = Vec<Prompt>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine, Path(id): Path<WorkerId>) -> Result<Json<Vec<Prompt>>, Failure> {
    Ok(Json(app.prompts().list(id).await?))
}

/// Queues a prompt. It is typed when the agent is idle or works, and never into a question. The answer does not wait for
/// that: its `state` says what becomes of it.
#[utoipa::path(post, path = "/api/workers/{workerId}/prompts", tag = "prompts",
    params(("workerId" = String, Path, description = "the worker's id")), request_body = SendPrompt,
    responses((status = 202, body = Prompt), (status = "4XX", body = Problem)))]
pub(crate) async fn send(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<WorkerId>,
    Json(prompt): Json<SendPrompt>,
) -> Result<(StatusCode, Json<Prompt>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.prompts().send(&who, id, prompt).await?)))
}

/// Takes all prompts out of the queue that are not typed yet.
#[utoipa::path(delete, path = "/api/workers/{workerId}/prompts", tag = "prompts",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn empty(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<WorkerId>,
) -> Result<StatusCode, Failure> {
    app.prompts().empty(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes a prompt that is queued.
#[utoipa::path(put, path = "/api/workers/{workerId}/prompts/{promptId}", tag = "prompts",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("promptId" = String, Path, description = "the prompt's id")),
    request_body = EditPrompt,
    responses((status = 200, body = Prompt), (status = "4XX", body = Problem)))]
pub(crate) async fn edit(
    Mine(app): Mine,
    Extension(who): Who,
    Path((worker, id)): Path<(WorkerId, PromptId)>,
    Json(change): Json<EditPrompt>,
) -> Result<Json<Prompt>, Failure> {
    Ok(Json(app.prompts().edit(&who, worker, id, change).await?))
}

/// Takes a prompt out of the queue.
#[utoipa::path(delete, path = "/api/workers/{workerId}/prompts/{promptId}", tag = "prompts",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("promptId" = String, Path, description = "the prompt's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(
    Mine(app): Mine,
    Extension(who): Who,
    Path((worker, id)): Path<(WorkerId, PromptId)>,
) -> Result<StatusCode, Failure> {
    app.prompts().remove(&who, worker, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Queues a prompt for several workers. What is refused for one is queued for the others.
#[utoipa::path(post, path = "/api/prompts", tag = "prompts", request_body = SendPrompts,
    responses((status = 202, body = Vec<SentPrompt>), (status = "4XX", body = Problem)))]
pub(crate) async fn send_to_many(
    Mine(app): Mine,
    Extension(who): Who,
    Json(prompts): Json<SendPrompts>,
) -> Result<(StatusCode, Json<Vec<SentPrompt>>), Failure> {
    Ok((StatusCode::ACCEPTED, Json(app.prompts().send_to_many(&who, prompts).await?)))
}
