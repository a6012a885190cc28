//! What a repository wants to have run in its worktrees: only with the user's consent, and told when it is not.

use std::path::Path;

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use store::{Repository, Worktree};

use crate::app::App;
use crate::setup_command;
use crate::tokens::Principal;

const NOT_AGREED: &str = "the setup commands of `.abide.toml` were not run: nobody has agreed to them";

impl App {
    /// What a repository's `.abide.toml` wants to run, and whether the user agreed.
    pub(crate) async fn provisioning(&self, id: RepositoryId) -> Result<api::Provisioning, Problem> {
        let repository = self.db(move |store| store.repository(id)).await?;
        let path = repository.path.clone();
        let wanted = self.git(move |_| git::provisioning(&path)).await?;
        let Some(wanted) = wanted else {
            let none = Vec::new;
            return Ok(api::Provisioning {
                setup: none(),
                teardown: none(),
                hash: String::new(),
                agreed: true,
                warnings: none(),
            });
        };
        let hash = bytes(&wanted.hash)?;
        let agreed = self.db(move |store| store.has_consent(id, &hash)).await?;
        let git::Provisioning { setup, teardown, hash, warnings } = wanted;
        Ok(api::Provisioning { setup, teardown, hash, agreed, warnings })
    }

    /// Agrees to exactly the commands that were shown.
    pub(crate) async fn agree(
        &self,
        who: &Principal,
        id: RepositoryId,
        agree: api::Agree,
    ) -> Result<api::Provisioning, Problem> {
        let wanted = self.provisioning(id).await?;
        if wanted.hash.is_empty() || wanted.hash != agree.hash {
            return Err(Problem::new(
                ErrorCode::CommandsChanged,
                "the commands are not the ones that were shown",
            )
            .hint("look at them again"));
        }
        let hash = bytes(&wanted.hash)?;
        self.save(move |store| store.give_consent(id, &hash, Timestamp::now())).await?;
        self.record(who, "repository.agree", id, Some(wanted.hash)).await;
        self.provisioning(id).await
    }

    /// Runs the setup commands in a new worktree, if the user agreed to them. Says what the user should know.
    pub(crate) async fn provision(&self, repository: &Repository, worktree: WorktreeId) -> Option<String> {
        match self.run_setup(repository, worktree).await {
            Ok(notice) => notice,
            Err(problem) => Some(format!("the setup failed: {}", problem.error.message)),
        }
    }

    /// The same, with a failure to be told apart from a notice.
    pub(crate) async fn run_setup(
        &self,
        repository: &Repository,
        worktree: WorktreeId,
    ) -> Result<Option<String>, Problem> {
        let worktree = self.db(move |store| store.worktree(worktree)).await?;
        let (wanted, agreed) = match self.commands(repository, &worktree).await? {
            Commands::None => return Ok(None),
            Commands::NotAgreed(wanted) => (wanted, false),
            Commands::Agreed(wanted) => (wanted, true),
        };
        let warned = wanted.warnings.iter().map(|warning| format!("in `.abide.toml`, {warning}"));
        let mut notices: Vec<String> = warned.collect();
        if !agreed && !wanted.setup.is_empty() {
            notices.push(NOT_AGREED.to_owned());
        }
        if agreed {
            for command in &wanted.setup {
                self.run(command, &worktree.path, worktree.id).await?;
            }
        }
        Ok((!notices.is_empty()).then(|| notices.join("; ")))
    }

    /// Runs the teardown commands before a worktree goes. One that fails holds nothing up.
    pub(crate) async fn tear_down(&self, repository: &Repository, worktree: &Worktree) {
        let commands = match self.commands(repository, worktree).await {
            Ok(Commands::Agreed(wanted)) => wanted.teardown,
            _ => return,
        };
        for command in commands {
            if let Err(problem) = self.run(&command, &worktree.path, worktree.id).await {
                tracing::warn!(worktree.id = %worktree.id, reason = problem.error.message, "a teardown command failed");
            }
        }
    }

    async fn commands(&self, repository: &Repository, worktree: &Worktree) -> Result<Commands, Problem> {
        let path = worktree.path.clone();
        let Some(wanted) = self.git(move |_| git::provisioning(&path)).await? else {
            return Ok(Commands::None);
        };
        let (id, hash) = (repository.id, bytes(&wanted.hash)?);
        let agreed = self.db(move |store| store.has_consent(id, &hash)).await?;
        Ok(if agreed { Commands::Agreed(wanted) } else { Commands::NotAgreed(wanted) })
    }

    /// Runs one command by a shell, as the user agreed to have it run.
    async fn run(&self, command: &str, directory: &Path, worktree: WorktreeId) -> Result<(), Problem> {
        let environment = self.parts().hosts.environment();
        let ours = [("COMPOSE_PROJECT_NAME".into(), format!("abide-{worktree}").into())];
        let environment = home::child_environment(environment, ours);
        let ran = setup_command::run(command, directory, environment).await;
        ran.map_err(|why| failed(command, &why))
    }
}

enum Commands {
    None,
    NotAgreed(git::Provisioning),
    Agreed(git::Provisioning),
}

fn failed(command: &str, why: &str) -> Problem {
    let words = format!("`{}`: {}", model::display_safe(command), model::display_safe(why));
    Problem::new(ErrorCode::CannotStart, words)
}

/// A hash as the database keeps it.
fn bytes(hash: &str) -> Result<[u8; 32], Problem> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let digits = hash.get(2 * at..2 * at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        *byte = digits.ok_or_else(|| Problem::new(ErrorCode::Internal, "a hash is damaged"))?;
    }
    Ok(bytes)
}
