//! Workers of all sessions.

use api::{Agent, Explanation, Problem, PtyStat, Upload, Worker};
use axum::body::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use model::WorkerId;
use serde::Deserialize;

use super::Mine;
use crate::node::uploads::ANY_FILE;
use crate::problem::{Failure, Json, Path, Query};
use crate::views;

/// All workers of open sessions.
#[utoipa::path(get, path = "/api/workers", tag = "workers",
    responses((status = 200, body = Vec<Worker>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine) -> Result<Json<Vec<Worker>>, Failure> {
    Ok(Json(app.workers().list().await?))
}

/// One worker.
#[utoipa::path(get, path = "/api/workers/{workerId}", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = Worker), (status = "4XX", body = Problem)))]
pub(crate) async fn get(Mine(app): Mine, Path(id): Path<WorkerId>) -> Result<Json<Worker>, Failure> {
    Ok(Json(app.workers().get(id).await?))
}

/// How it is known what a worker is doing: what each source says, and which one is believed.
#[utoipa::path(get, path = "/api/workers/{workerId}/activity", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = Explanation), (status = "4XX", body = Problem)))]
pub(crate) async fn activity(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
) -> Result<Json<Explanation>, Failure> {
    Ok(Json(app.workers().explain(id).await?))
}

/// Tells that a hook of the worker's agent has left an event in the worker's directory. It says nothing of what the event
/// is: the server reads that from there.
#[utoipa::path(post, path = "/api/workers/{workerId}/hooks", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn hooked(Mine(app): Mine, Path(id): Path<WorkerId>) -> Result<StatusCode, Failure> {
    app.workers().get(id).await?;
    app.workers().hooked(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The parameters of an upload.
#[derive(Debug, Deserialize)]
pub(crate) struct Given {
    #[serde(default)]
    name: String,
}

/// Stores a file of at most 10 MiB for a worker's program. Nothing is typed into the worker.
///
/// Files with a type of PNG, JPEG, GIF or WebP must have that format. `application/octet-stream` may be any file.
#[utoipa::path(post, path = "/api/workers/{workerId}/uploads", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("name" = Option<String>, Query,
            description = "the file's name, if it is not a picture; only its ending is kept, up to 8 letters and digits")),
    request_body(content(
        (String = "application/octet-stream"), (String = "image/png"), (String = "image/jpeg"), (String = "image/gif"),
        (String = "image/webp"))),
    responses((status = 201, body = Upload), (status = "4XX", body = Problem)))]
pub(crate) async fn upload(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(given): Query<Given>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<Upload>), Failure> {
    app.workers().get(id).await?;
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok());
    let file = body.to_vec();
    let path = match said {
        Some(said) if said.eq_ignore_ascii_case(ANY_FILE) => {
            app.node().keep_file(id, file, &given.name).await?
        }
        _ => app.node().keep_image(id, file, said).await?,
    };
    Ok((StatusCode::CREATED, Json(Upload { path: views::exact(&path) })))
}

/// Numbers about the running workers.
#[utoipa::path(get, path = "/api/pty-stats", tag = "workers",
    responses((status = 200, body = Vec<PtyStat>), (status = "4XX", body = Problem)))]
pub(crate) async fn pty_stats(Mine(app): Mine) -> Result<Json<Vec<PtyStat>>, Failure> {
    let workers = app.workers().list().await?;
    // All hosts are asked at the same time, so that a host that does not answer delays only its own answer.
    let asked = workers.iter().map(|worker| {
        let (node, id) = (app.node().clone(), worker.id);
        tokio::spawn(async move { node.status(id).await })
    });
    let asked: Vec<_> = asked.collect();
    let mut reports = Vec::new();
    for answer in asked {
        reports.push(answer.await.ok().flatten());
    }
    let now = Timestamp::now();
    let stat = |(worker, report): (&Worker, Option<protocol::StatusReport>)| {
        let report = report?;
        Some(PtyStat {
            session_id: worker.session_id,
            worker_id: worker.id,
            clients: u32::try_from(report.viewers.len()).unwrap_or(u32::MAX),
            output_bytes: report.offset.0,
            uptime: u64::try_from(now.duration_since(report.started_at).as_secs()).unwrap_or(0),
            last_activity: report.printed_at,
        })
    };
    Ok(Json(workers.iter().zip(reports).filter_map(stat).collect()))
}

/// All agents that abide knows, and which of them are installed.
#[utoipa::path(get, path = "/api/agents", tag = "workers",
    responses((status = 200, body = Vec<Agent>), (status = "4XX", body = Problem)))]
pub(crate) async fn agents(Mine(app): Mine) -> Result<Json<Vec<Agent>>, Failure> {
    let programs = app.node().programs().await?;
    let shown = |agent: &agents::Agent| Agent {
        id: agent.id.as_str().to_owned(),
        name: agent.name.clone(),
        command: agent.command.clone(),
        installed: agent.command.first().is_some_and(|program| programs.has(program)),
    };
    Ok(Json(app.agents().all().map(shown).collect()))
}
