//! Repositories.

use api::{AddRepository, Agree, Problem, Provisioning, Repository};
use axum::Extension;
use axum::extract::State;
use http::StatusCode;
use model::RepositoryId;
use serde::Deserialize;

use super::Who;
use crate::app::App;
use crate::problem::{Failure, Json, Path, Query};
use crate::views;

/// All registered repositories.
#[utoipa::path(get, path = "/api/repositories", tag = "repositories",
    responses((status = 200, body = Vec<Repository>), (status = "4XX", body = Problem)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Vec<Repository>>, Failure> {
    let repositories = app.db(store::Store::repositories).await?;
    Ok(Json(repositories.iter().map(views::repository).collect()))
}

/// Registers the repository that a directory is in.
#[utoipa::path(post, path = "/api/repositories", tag = "repositories", request_body = AddRepository,
    responses((status = 201, body = Repository), (status = "4XX", body = Problem)))]
pub(crate) async fn add(
    State(app): State<App>,
    Extension(who): Who,
    Json(add): Json<AddRepository>,
) -> Result<(StatusCode, Json<Repository>), Failure> {
    Ok((StatusCode::CREATED, Json(app.add_repository(&who, add).await?)))
}

/// One repository.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Repository), (status = "4XX", body = Problem)))]
pub(crate) async fn get(
    State(app): State<App>,
    Path(id): Path<RepositoryId>,
) -> Result<Json<Repository>, Failure> {
    Ok(Json(views::repository(&app.db(move |store| store.repository(id)).await?)))
}

/// What goes along.
#[derive(Debug, Deserialize)]
pub(crate) struct Remove {
    #[serde(default)]
    tasks: bool,
}

/// Forgets a repository. Nothing of it is touched.
#[utoipa::path(delete, path = "/api/repositories/{repositoryId}", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id"),
        ("tasks" = Option<bool>, Query, description = "whether its tasks go with it")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn remove(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<RepositoryId>,
    Query(remove): Query<Remove>,
) -> Result<StatusCode, Failure> {
    app.remove_repository(&who, id, remove.tasks).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the repository's `.abide.toml` wants to run, and whether the user agreed.
#[utoipa::path(get, path = "/api/repositories/{repositoryId}/provisioning", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")),
    responses((status = 200, body = Provisioning), (status = "4XX", body = Problem)))]
pub(crate) async fn provisioning(
    State(app): State<App>,
    Path(id): Path<RepositoryId>,
) -> Result<Json<Provisioning>, Failure> {
    Ok(Json(app.provisioning(id).await?))
}

/// Agrees to exactly the commands that were shown.
#[utoipa::path(post, path = "/api/repositories/{repositoryId}/provisioning/agree", tag = "repositories",
    params(("repositoryId" = String, Path, description = "the repository's id")), request_body = Agree,
    responses((status = 200, body = Provisioning), (status = "4XX", body = Problem)))]
pub(crate) async fn agree(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<RepositoryId>,
    Json(agree): Json<Agree>,
) -> Result<Json<Provisioning>, Failure> {
    Ok(Json(app.agree(&who, id, agree).await?))
}
