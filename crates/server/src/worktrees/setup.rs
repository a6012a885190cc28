//! Runs the commands of a repository's `.abide.toml` in its worktrees. It runs them only with the user's consent, and
//! says so when it skips them.

use api::{ErrorCode, Problem, RunsWhen, SeenCommand};
use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use store::{Repository, Worktree};

use crate::node::SetupError;
use crate::rooms::Worktrees;
use crate::stops::Stop;
use crate::tokens::Principal;

const NOT_AGREED: &str = "abide did not run the setup commands of `.abide.toml`: you have not agreed to them";

impl Worktrees {
    /// The commands of a repository's `.abide.toml`, and whether the user agreed to them.
    pub(crate) async fn provisioning(&self, id: RepositoryId) -> Result<api::Provisioning, Problem> {
        let repository = self.read(move |store| store.repository(id)).await?;
        let path = repository.path.clone();
        let wanted = self.node().provisioning(path).await?;
        let Some(wanted) = wanted else {
            let none = Vec::new;
            return Ok(api::Provisioning {
                setup: none(),
                teardown: none(),
                commands: Vec::new(),
                hash: String::new(),
                agreed: true,
                warnings: none(),
            });
        };
        let hash = bytes(&wanted.hash)?;
        let agreed = self.read(move |store| store.has_consent(id, &hash)).await?;
        let commands = as_seen(RunsWhen::Setup, &wanted.setup)
            .chain(as_seen(RunsWhen::Teardown, &wanted.teardown))
            .collect::<Result<_, _>>()?;
        let git::Provisioning { setup, teardown, hash, warnings } = wanted;
        Ok(api::Provisioning { setup, teardown, commands, hash, agreed, warnings })
    }

    /// Notes that the user agrees to exactly the commands that were shown.
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
                "the commands have changed since you saw them",
            )
            .hint("look at them again"));
        }
        let hash = bytes(&wanted.hash)?;
        self.step(move |store| store.give_consent(id, &hash, Timestamp::now())).await?;
        self.access().record(who, "repository.agree", id, Some(wanted.hash)).await;
        self.provisioning(id).await
    }

    /// Runs the setup commands in a new worktree, if the user agreed to them. Returns a notice for the user, also about a
    /// failure.
    pub(crate) async fn set_up(
        &self,
        repository: &Repository,
        worktree: WorktreeId,
        stop: &Stop,
    ) -> Option<String> {
        match self.run_setup(repository, worktree, stop).await {
            Ok(notice) => notice,
            Err(problem) => Some(format!("the setup failed: {}", problem.error.message)),
        }
    }

    /// Runs the setup commands as [`Worktrees::set_up`] does, and returns a failure as an error.
    pub(crate) async fn run_setup(
        &self,
        repository: &Repository,
        worktree: WorktreeId,
        stop: &Stop,
    ) -> Result<Option<String>, Problem> {
        let worktree = self.read(move |store| store.worktree(worktree)).await?;
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
                self.run(command, &worktree, stop).await?;
            }
        }
        Ok((!notices.is_empty()).then(|| notices.join("; ")))
    }

    /// Runs the teardown commands before a worktree goes to the trash. It goes there also if one of them fails.
    pub(crate) async fn tear_down(&self, repository: &Repository, worktree: &Worktree) {
        let commands = match self.commands(repository, worktree).await {
            Ok(Commands::Agreed(wanted)) => wanted.teardown,
            _ => return,
        };
        let work = match self.stops().begin(worktree.id) {
            Ok(work) => work,
            Err(problem) => {
                let reason = problem.error.message;
                tracing::warn!(worktree.id = %worktree.id, reason, "no teardown command is run");
                return;
            }
        };
        for command in commands {
            if let Err(problem) = self.run(&command, worktree, work.stop()).await {
                tracing::warn!(worktree.id = %worktree.id, reason = problem.error.message, "a teardown command failed");
            }
        }
    }

    async fn commands(&self, repository: &Repository, worktree: &Worktree) -> Result<Commands, Problem> {
        let path = worktree.path.clone();
        let Some(wanted) = self.node().provisioning(path).await? else {
            return Ok(Commands::None);
        };
        let (id, hash) = (repository.id, bytes(&wanted.hash)?);
        let agreed = self.read(move |store| store.has_consent(id, &hash)).await?;
        Ok(if agreed { Commands::Agreed(wanted) } else { Commands::NotAgreed(wanted) })
    }

    /// Runs one command in a shell. The user has agreed to it.
    async fn run(&self, command: &str, worktree: &Worktree, stop: &Stop) -> Result<(), Problem> {
        let ran = self.node().run_setup_command(command, worktree.id, &worktree.path, stop).await;
        ran.map_err(|error| match error {
            SetupError::Failed { command, why } => {
                Problem::new(ErrorCode::CannotStart, format!("`{command}`: {why}"))
            }
            SetupError::Stopped(reason) => reason.problem(),
        })
    }
}

enum Commands {
    None,
    NotAgreed(git::Provisioning),
    Agreed(git::Provisioning),
}

/// Commands of one list as a person sees them.
fn as_seen(runs: RunsWhen, commands: &[String]) -> impl Iterator<Item = Result<SeenCommand, Problem>> {
    commands.iter().map(move |command| match model::as_seen(command) {
        Ok(parts) => Ok(SeenCommand { runs, parts }),
        Err(unseen) => {
            Err(Problem::new(ErrorCode::GitRefused, format!("a command cannot be shown: {unseen}")))
        }
    })
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
