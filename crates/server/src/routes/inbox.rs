//! The inbox.

use api::{Answer, InboxItem, Problem, Snooze};
use axum::Extension;
use http::StatusCode;
use model::InboxItemId;

use super::{Mine, Who};
use crate::problem::{Failure, Json, Path};

/// What waits for a person, the longest wait first.
#[utoipa::path(get, path = "/api/inbox", tag = "inbox",
    responses((status = 200, body = Vec<InboxItem>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine) -> Result<Json<Vec<InboxItem>>, Failure> {
    Ok(Json(app.inbox().list().await?))
}

/// Marks an entry as read. If its worker asks something, the entry stays; all others leave the inbox.
#[utoipa::path(post, path = "/api/inbox/{itemId}/read", tag = "inbox",
    params(("itemId" = String, Path, description = "the entry's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn read(Mine(app): Mine, Path(id): Path<InboxItemId>) -> Result<StatusCode, Failure> {
    app.inbox().mark_read(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets an entry aside until a moment, or takes it up again.
#[utoipa::path(post, path = "/api/inbox/{itemId}/snooze", tag = "inbox",
    params(("itemId" = String, Path, description = "the entry's id")), request_body = Snooze,
    responses((status = 200, body = InboxItem), (status = "4XX", body = Problem)))]
pub(crate) async fn snooze(
    Mine(app): Mine,
    Path(id): Path<InboxItemId>,
    Json(Snooze { until }): Json<Snooze>,
) -> Result<Json<InboxItem>, Failure> {
    Ok(Json(app.inbox().snooze(id, until).await?))
}

/// Answers what the worker of an entry asks. If it asks something else by now, the answer is `question-changed`, and
/// nothing is typed. The answer comes when the program has taken the reply.
#[utoipa::path(post, path = "/api/inbox/{itemId}/answer", tag = "inbox",
    params(("itemId" = String, Path, description = "the entry's id")), request_body = Answer,
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn answer(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<InboxItemId>,
    Json(answer): Json<Answer>,
) -> Result<StatusCode, Failure> {
    app.inbox().answer(&who, id, answer).await?;
    Ok(StatusCode::NO_CONTENT)
}
