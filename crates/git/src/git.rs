//! The git program.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::error::GitError;
use crate::settings::{Mode, Surroundings, on_path};
use crate::stop::Stop;
use crate::version::Version;

/// Looking takes milliseconds; in a huge repository, or on a sleeping disk, seconds.
const DEADLINE: Duration = Duration::from_secs(20);
/// Writing the files of a huge repository, or fetching large ones, takes minutes.
const CHECKOUT_DEADLINE: Duration = Duration::from_secs(5 * 60);

/// The git program, and the terms on which we run it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    pub(crate) surroundings: Arc<Surroundings>,
    version: Arc<OnceLock<Version>>,
    pub(crate) locks: Option<Arc<Path>>,
    deadline: Duration,
    checkout_deadline: Duration,
    pub(crate) stop: Option<Stop>,
}

impl Git {
    /// The git program on our `PATH`.
    ///
    /// # Errors
    ///
    /// When there is none, when it is too old, and when it does not answer.
    pub fn find() -> Result<Git, GitError> {
        Git::find_in(env::vars_os())
    }

    /// The git program on the `PATH` of this environment, which is also where git finds the user's settings.
    ///
    /// # Errors
    ///
    /// When there is none, when it is too old, and when it does not answer.
    pub fn find_in(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Git, GitError> {
        let surroundings = Surroundings::of(environment);
        let program = on_path(surroundings.path(), "git").ok_or(GitError::NotFound)?;
        let git = Git::with(program, surroundings);
        git.version()?;
        Ok(git)
    }

    /// A program that the caller names. It is not run before it is needed; [`Git::version`] tells whether it will do.
    pub fn at(program: impl Into<PathBuf>) -> Git {
        Git::with(program.into(), Surroundings::of(env::vars_os()))
    }

    fn with(program: PathBuf, surroundings: Surroundings) -> Git {
        Git {
            program,
            surroundings: Arc::new(surroundings),
            version: Arc::default(),
            locks: None,
            deadline: DEADLINE,
            checkout_deadline: CHECKOUT_DEADLINE,
            stop: None,
        }
    }

    /// The same in another environment than ours.
    #[must_use]
    pub fn in_environment(self, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Git {
        Git { surroundings: Arc::new(Surroundings::of(environment)), ..self }
    }

    /// The same with a directory for locks and intents, which is made when it is needed and belongs to us alone.
    ///
    /// With one, changes to a repository take turns between processes too, and what a killed process left half done
    /// can be finished ([`Git::finish`]). Without one they take turns in this process only.
    #[must_use]
    pub fn with_locks(self, directory: impl Into<PathBuf>) -> Git {
        Git { locks: Some(directory.into().into()), ..self }
    }

    /// The same with other deadlines for one run of git: for a checkout, and for everything else.
    #[must_use]
    pub fn with_deadlines(self, deadline: Duration, checkout_deadline: Duration) -> Git {
        Git { deadline, checkout_deadline, ..self }
    }

    /// The same for work that may be asked to stop: its checkouts then end with [`GitError::Stopped`], and so does its
    /// wait for a repository.
    #[must_use]
    pub fn with_stop(self, stop: Stop) -> Git {
        Git { stop: Some(stop), ..self }
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Which git it is. The program is asked once.
    ///
    /// # Errors
    ///
    /// When it is not there, too old, or does not answer.
    pub fn version(&self) -> Result<Version, GitError> {
        if let Some(version) = self.version.get() {
            return Ok(*version);
        }
        let answer = self.call(Mode::Look, Path::new("/")).args(["version"]).text()?;
        let found = Version::parse(&answer).ok_or_else(|| GitError::Failed {
            command: "version".to_owned(),
            stderr: model::display_safe(&format!("cannot read git's version in `{answer}`")),
        })?;
        if found < Version::OLDEST {
            return Err(GitError::TooOld { found });
        }
        Ok(*self.version.get_or_init(|| found))
    }

    pub(crate) fn deadline(&self, mode: Mode) -> Duration {
        if mode == Mode::Checkout { self.checkout_deadline } else { self.deadline }
    }

    pub(crate) fn stop(&self, mode: Mode) -> Option<&Stop> {
        self.stop.as_ref().filter(|_| mode == Mode::Checkout)
    }
}
