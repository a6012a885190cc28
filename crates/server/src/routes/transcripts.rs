//! Transcripts of agents, and what they used. All texts are masked, and every answer has a bounded size.

use api::{ErrorCode, Problem, Transcript, UsageBy, UsageReport};
use model::WorkerId;
use serde::Deserialize;

use super::Mine;
use crate::app::blocking;
use crate::problem::{Failure, Json, Path, Query};
use crate::workers::{Reached, offset_in, transcript_view};

/// The parameters of a page of a transcript.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    after: Option<String>,
}

/// The conversation of a worker's agent as the agent's program keeps it.
///
/// An answer has at most some hundred entries; `next` has the following ones, also those that come later. Of two entries
/// with the same `id` the later one counts.
#[utoipa::path(get, path = "/api/workers/{workerId}/transcript", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("after" = Option<String>, Query, description = "the `next` of the previous page")),
    responses((status = 200, body = Transcript), (status = "4XX", body = Problem)))]
pub(crate) async fn transcript(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(page): Query<Page>,
) -> Result<Json<Transcript>, Failure> {
    let reached = page.after.as_deref().map(|after| {
        let wrong = || Failure::new(ErrorCode::BadQuery, "`after` is not the `next` of a page");
        Reached::parse(after).ok_or_else(wrong)
    });
    let reached = reached.transpose()?;
    let source = app.workers().transcript_source(id).await?;
    let node = app.node().clone();
    let read = move || {
        let exit = node.transcript_exit(id).map_err(|error| {
            Failure::new(ErrorCode::Unavailable, error.to_string())
                .hint("correct `masking.toml` in the data directory")
        })?;
        let offset = offset_in(&source, reached);
        let page = node.transcript_page(&source, offset);
        let page = crate::workers::found(&source, page)?;
        Ok(Json(transcript_view(&source, &page, &exit)))
    };
    let Some(share) = app.share() else { return blocking(read).await? };
    let _permits = share.read().await?;
    share.run(read).await?
}

/// The parameters of a report.
#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    by: UsageBy,
}

/// What the agents used: tokens, and the price where an agent states it. It is read from their transcripts and counts the
/// conversation that each worker has now.
#[utoipa::path(get, path = "/api/usage", tag = "workers",
    params(("by" = inline(Option<UsageBy>), Query, description = "by what it is summed up; by default by worker")),
    responses((status = 200, body = UsageReport), (status = "4XX", body = Problem)))]
pub(crate) async fn usage(
    Mine(app): Mine,
    Query(wanted): Query<Wanted>,
) -> Result<Json<UsageReport>, Failure> {
    Ok(Json(app.workers().usage(wanted.by).await?))
}
