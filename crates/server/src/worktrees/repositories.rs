//! Registers, lists and forgets repositories.

use api::{AddRepository, ErrorCode, Problem};
use jiff::Timestamp;
use model::RepositoryId;

use crate::rooms::Worktrees;
use crate::tokens::Principal;
use crate::views;

impl Worktrees {
    /// All registered repositories.
    pub(crate) async fn repositories(&self) -> Result<Vec<api::Repository>, Problem> {
        let repositories = self.read(store::Reader::repositories).await?;
        Ok(repositories.iter().map(views::repository).collect())
    }

    /// One repository.
    pub(crate) async fn repository(&self, id: RepositoryId) -> Result<api::Repository, Problem> {
        Ok(views::repository(&self.read(move |store| store.repository(id)).await?))
    }

    /// Registers the repository that a directory is in.
    pub(crate) async fn add_repository(
        &self,
        who: &Principal,
        add: AddRepository,
    ) -> Result<api::Repository, Problem> {
        let directory = self.node().directory(&add.path)?;
        let path = self.node().repository_of(directory).await?;
        if path.to_str().is_none() {
            // The meta of a worker names its repository, and is text.
            let words = format!("`{}` cannot be used: its name is not UTF-8", views::text(&path));
            return Err(Problem::new(ErrorCode::BadPath, words));
        }
        let name = path.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
        let repository = self.step(move |store| store.add_repository(&path, &name, Timestamp::now())).await?;
        self.access().record(who, "repository.add", repository.id, Some(views::text(&repository.path))).await;
        Ok(views::repository(&repository))
    }

    /// Forgets a repository. Its files stay.
    pub(crate) async fn remove_repository(
        &self,
        who: &Principal,
        id: RepositoryId,
        with_tasks: bool,
    ) -> Result<(), Problem> {
        self.step(move |store| store.remove_repository(id, with_tasks, Timestamp::now())).await?;
        self.access().record(who, "repository.remove", id, None).await;
        Ok(())
    }
}
