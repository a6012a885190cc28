//! Workers, whatever their session.

use api::{Agent, Problem, PtyStat, Upload, Worker};
use axum::body::Bytes;
use axum::extract::State;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use model::WorkerId;
use serde::Deserialize;

use crate::app::{App, blocking};
use crate::problem::{Failure, Json, Path, Query};
use crate::uploads::ANY_FILE;
use crate::{uploads, views};

/// All workers of open sessions.
#[utoipa::path(get, path = "/api/workers", tag = "workers",
    responses((status = 200, body = Vec<Worker>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Vec<Worker>>, Failure> {
    Ok(Json(app.workers().await?))
}

/// One worker.
#[utoipa::path(get, path = "/api/workers/{workerId}", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = Worker), (status = "4XX", body = Problem)))]
pub(crate) async fn get(State(app): State<App>, Path(id): Path<WorkerId>) -> Result<Json<Worker>, Failure> {
    Ok(Json(app.worker(id).await?))
}

/// What is known of a file that is kept.
#[derive(Debug, Deserialize)]
pub(crate) struct Given {
    #[serde(default)]
    name: String,
}

/// Keeps a file beside a worker, for its program, of at most 10 MiB. Nothing is typed.
///
/// PNG, JPEG, GIF and WebP have to be what they are said to be; `application/octet-stream` may be anything.
#[utoipa::path(post, path = "/api/workers/{workerId}/uploads", tag = "workers",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("name" = Option<String>, Query,
            description = "what a file is called that is no picture; only its ending is kept, of up to 8 letters and digits")),
    request_body(content(
        (String = "application/octet-stream"), (String = "image/png"), (String = "image/jpeg"), (String = "image/gif"),
        (String = "image/webp"))),
    responses((status = 201, body = Upload), (status = "4XX", body = Problem)))]
pub(crate) async fn upload(
    State(app): State<App>,
    Path(id): Path<WorkerId>,
    Query(given): Query<Given>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<Upload>), Failure> {
    app.worker(id).await?;
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok());
    let (dir, file) = (app.home().worker(id), body.to_vec());
    let path = match said {
        Some(said) if said.eq_ignore_ascii_case(ANY_FILE) => {
            uploads::keep_file(&dir, file, &given.name).await?
        }
        _ => uploads::keep_image(&dir, file, said).await?,
    };
    Ok((StatusCode::CREATED, Json(Upload { path: views::text(&path) })))
}

/// What runs, in numbers.
#[utoipa::path(get, path = "/api/pty-stats", tag = "workers",
    responses((status = 200, body = Vec<PtyStat>), (status = "4XX", body = Problem)))]
pub(crate) async fn pty_stats(State(app): State<App>) -> Result<Json<Vec<PtyStat>>, Failure> {
    let workers = app.workers().await?;
    // All at once: a host that does not answer is waited for, and holds nobody else up.
    let asked = workers.iter().map(|worker| {
        let dir = app.home().worker(worker.id);
        tokio::task::spawn_blocking(move || viewer::status(&dir.socket()).ok())
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

/// All agents that are known, and which of them are installed.
#[utoipa::path(get, path = "/api/agents", tag = "workers",
    responses((status = 200, body = Vec<Agent>), (status = "4XX", body = Problem)))]
pub(crate) async fn agents(State(app): State<App>) -> Result<Json<Vec<Agent>>, Failure> {
    let asked = app.clone();
    let path = blocking(move || {
        let environment = asked.parts().hosts.environment();
        environment.into_iter().find(|(name, _)| name == "PATH").map(|(_, path)| path)
    })
    .await?;
    let path = path.unwrap_or_default();
    let is_there = |program: &str| {
        std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
            || (program.starts_with('/') && std::path::Path::new(program).is_file())
    };
    let shown = |agent: &agents::Agent| Agent {
        id: agent.id.as_str().to_owned(),
        name: agent.name.clone(),
        command: agent.command.clone(),
        installed: agent.command.first().is_some_and(|program| is_there(program)),
    };
    Ok(Json(app.agents().all().map(shown).collect()))
}
