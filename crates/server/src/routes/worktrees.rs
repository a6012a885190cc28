//! Worktrees.

use api::{CreateWorktree, Problem, RemovedWorktree, Worktree};
use axum::Extension;
use http::StatusCode;
use model::{RepositoryId, WorktreeId};
use serde::Deserialize;

use super::{Mine, Who};
use crate::problem::{Failure, Json, Path, Query};

/// All worktrees that abide knows of.
#[utoipa::path(get, path = "/api/worktrees", tag = "worktrees",
    responses((status = 200, body = Vec<Worktree>), (status = "4XX", body = Problem)))]
pub(crate) async fn list_all(Mine(app): Mine) -> Result<Json<Vec<Worktree>>, Failure> {
    Ok(Json(app.worktrees().list(None).await?))
}

/// A repository's worktrees.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}/worktrees", tag = "worktrees",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Vec<Worktree>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(
    Mine(app): Mine,
    Path(repository): Path<RepositoryId>,
) -> Result<Json<Vec<Worktree>>, Failure> {
    Ok(Json(app.worktrees().list(Some(repository)).await?))
}

/// Makes a worktree.
#[utoipa::path(post, path = "/api/repositories/{repositoryId}/worktrees", tag = "worktrees",
    params(("repositoryId" = String, Path, description = "the repository's id")), request_body = CreateWorktree,
    responses((status = 201, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    Mine(app): Mine,
    Extension(who): Who,
    Path(repository): Path<RepositoryId>,
    Json(create): Json<CreateWorktree>,
) -> Result<(StatusCode, Json<Worktree>), Failure> {
    Ok((StatusCode::CREATED, Json(app.worktrees().create(&who, repository, create).await?)))
}

/// One worktree.
#[utoipa::path(get, path = "/api/worktrees/{worktreeId}", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id")),
    responses((status = 200, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn get(Mine(app): Mine, Path(id): Path<WorktreeId>) -> Result<Json<Worktree>, Failure> {
    Ok(Json(app.worktrees().get(id).await?))
}

/// Options for removing a worktree.
#[derive(Debug, Deserialize)]
pub(crate) struct Remove {
    #[serde(default)]
    force: bool,
}

/// Moves a worktree to the trash. It can be restored from there.
#[utoipa::path(delete, path = "/api/worktrees/{worktreeId}", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id"),
        ("force" = Option<bool>, Query, description = "even if it contains work that exists nowhere else")),
    responses((status = 200, body = RemovedWorktree), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<WorktreeId>,
    Query(remove): Query<Remove>,
) -> Result<Json<RemovedWorktree>, Failure> {
    Ok(Json(app.worktrees().remove(&who, id, remove.force).await?))
}

/// Restores a worktree from the trash.
#[utoipa::path(post, path = "/api/worktrees/{worktreeId}/restore", tag = "worktrees",
    params(("worktreeId" = String, Path, description = "the worktree's id")),
    responses((status = 200, body = Worktree), (status = "4XX", body = Problem)))]
pub(crate) async fn restore(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<WorktreeId>,
) -> Result<Json<Worktree>, Failure> {
    Ok(Json(app.worktrees().restore(&who, id).await?))
}
