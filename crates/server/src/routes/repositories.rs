//! Repositories.

use api::{AddRepository, Agree, Problem, Provisioning, Repository};
use axum::Extension;
use http::StatusCode;
use model::RepositoryId;
use serde::Deserialize;

use super::{Mine, Who};
use crate::problem::{Failure, Json, Path, Query};

/// All registered repositories.
#[utoipa::path(get, path = "/api/repositories", tag = "repositories",
    responses((status = 200, body = Vec<Repository>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(Mine(app): Mine) -> Result<Json<Vec<Repository>>, Failure> {
    Ok(Json(app.worktrees().repositories().await?))
}

/// Registers the repository that a directory is in.
#[utoipa::path(post, path = "/api/repositories", tag = "repositories", request_body = AddRepository,
    responses((status = 201, body = Repository), (status = "4XX", body = Problem)))]
pub(crate) async fn add(
    Mine(app): Mine,
    Extension(who): Who,
    Json(add): Json<AddRepository>,
) -> Result<(StatusCode, Json<Repository>), Failure> {
    Ok((StatusCode::CREATED, Json(app.worktrees().add_repository(&who, add).await?)))
}

/// One repository.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Repository), (status = "4XX", body = Problem)))]
pub(crate) async fn get(Mine(app): Mine, Path(id): Path<RepositoryId>) -> Result<Json<Repository>, Failure> {
    Ok(Json(app.worktrees().repository(id).await?))
}

/// Options for removing a repository.
#[derive(Debug, Deserialize)]
pub(crate) struct Remove {
    #[serde(default)]
    tasks: bool,
}

/// Removes a repository from abide. Its files are not touched.
#[utoipa::path(delete, path = "/api/repositories/{repositoryId}", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id"),
        ("tasks" = Option<bool>, Query, description = "whether to remove its tasks too")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<RepositoryId>,
    Query(remove): Query<Remove>,
) -> Result<StatusCode, Failure> {
    app.worktrees().remove_repository(&who, id, remove.tasks).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The commands that the repository's `.abide.toml` wants to run, and whether the user agreed to them.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}/provisioning", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Provisioning), (status = "4XX", body = Problem)))]
pub(crate) async fn provisioning(
    Mine(app): Mine,
    Path(id): Path<RepositoryId>,
) -> Result<Json<Provisioning>, Failure> {
    Ok(Json(app.worktrees().provisioning(id).await?))
}

/// Agrees to exactly the commands that were shown.
#[utoipa::path(post, path = "/api/repositories/{repositoryId}/provisioning/agree", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")), request_body = Agree,
    responses((status = 200, body = Provisioning), (status = "4XX", body = Problem)))]
pub(crate) async fn agree(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<RepositoryId>,
    Json(agree): Json<Agree>,
) -> Result<Json<Provisioning>, Failure> {
    Ok(Json(app.worktrees().agree(&who, id, agree).await?))
}
