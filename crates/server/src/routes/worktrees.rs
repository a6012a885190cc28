//! Worktrees.

use api::{CreateWorktree, Problem, RemovedWorktree, Worktree};
use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use model::{RepositoryId, WorktreeId};
use serde::Deserialize;

use super::Who;
use crate::app::App;
use crate::problem::{Failure, Json, Path, Query};

/// All worktrees that abide knows of.
#[utoipa::path(get, path = "/api/worktrees", tag = "worktrees",
    responses((status = 200, body = Vec<Worktree>), (status = "4XX", body = Problem)))]
pub(crate) async fn list_all(State(app): State<App>) -> Result<Json<Vec<Worktree>>, Failure> {
    Ok(Json(app.worktrees(None).await?))
}

/// A repository's worktrees.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}/worktrees", tag = "worktrees",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Vec<Worktree>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(repository): Path<RepositoryId>,
) -> Result<Json<Vec<Worktree>>, Failure> {
    Ok(Json(app.worktrees(Some(repository)).await?))
}

/// Makes a worktree.
#[utoipa::path(post, path = "/api/repositories/{repositoryId}/worktrees", tag = "worktrees",
    params(("repositoryId" = String, Path, description = "the repository's id")), request_body = CreateWorktree,
    responses((status = 201, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<App>,
    Extension(who): Who,
    Path(repository): Path<RepositoryId>,
    Json(create): Json<CreateWorktree>,
) -> Result<(StatusCode, Json<Worktree>), Failure> {
    Ok((StatusCode::CREATED, Json(app.create_worktree(&who, repository, create).await?)))
}

/// One worktree.
#[utoipa::path(get, path = "/api/worktrees/{worktreeId}", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id")),
    responses((status = 200, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn get(
    State(app): State<App>,
    Path(id): Path<WorktreeId>,
) -> Result<Json<Worktree>, Failure> {
    Ok(Json(app.worktree(id).await?))
}

/// Whether work in it is a reason not to.
#[derive(Debug, Deserialize)]
pub(crate) struct Remove {
    #[serde(default)]
    force: bool,
}

/// Moves a worktree to the trash, from which it can be taken back.
#[utoipa::path(delete, path = "/api/worktrees/{worktreeId}", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id"),
        ("force" = Option<bool>, Query, description = "even if it holds work that is nowhere else")),
    responses((status = 200, body = RemovedWorktree), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<WorktreeId>,
    Query(remove): Query<Remove>,
) -> Result<Json<RemovedWorktree>, Failure> {
    Ok(Json(app.remove_worktree(&who, id, remove.force).await?))
}

/// Takes a worktree back from the trash.
#[utoipa::path(post, path = "/api/worktrees/{worktreeId}/restore", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id")),
    responses((status = 200, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn restore(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<WorktreeId>,
) -> Result<Json<Worktree>, Failure> {
    Ok(Json(app.restore_worktree(&who, id).await?))
}
