//! Workers, as a person names them and hears about them.

use home::{FindError, Home, HomeError, Worker};
use model::ExitStatus;
use protocol::{Attach, Welcome};
use reading::WatchError;
use viewer::{AskError, AttachError, Connection};

use crate::failure::Failure;
use crate::signal_name::signal_name;
use viewer::reach::{self, Unreached};

/// The home that the environment names.
pub(crate) fn home() -> Result<Home, Failure> {
    Home::find().map_err(home_failure)
}

/// Why there is no home, and what to do about it.
pub(crate) fn home_failure(error: HomeError) -> Failure {
    let hint = match &error {
        HomeError::Nowhere => "set ABIDE_HOME to a directory of yours",
        HomeError::Relative { .. } => "give it an absolute path",
        HomeError::Private(_) => {
            "set ABIDE_HOME to a directory that only you can access, or let abide make one"
        }
    };
    Failure::from(anyhow::Error::from(error)).hint(hint)
}

/// The worker that a word means: a name, an id, or how an id begins.
pub(crate) fn called(home: &Home, word: &str) -> Result<Worker, Failure> {
    home.worker_called(word).map_err(|error| {
        let hint = match &error {
            FindError::None(_) => "`abide ls` lists the workers",
            FindError::Ambiguous { .. } => "give more letters of the id, or the name",
            FindError::Io(_) => "`abide doctor` checks the data directory",
        };
        Failure::from(anyhow::Error::from(error)).hint(hint)
    })
}

/// How a command attaches that has no screen: in the form for a terminal model, without a size to impose.
pub(crate) fn quietly(command: &str, read_only: bool, history: u32) -> Attach {
    Attach { history, read_only, ..Attach::full(format!("abide {command}")) }
}

/// Attaches, or says why not.
pub(crate) fn attach(worker: &Worker, attach: &Attach) -> Result<(Connection, Welcome), Failure> {
    reach::attach(&worker.dir, attach).map_err(|error| unreached(worker, error))
}

/// Why a worker's host could not be asked, and what to do about it.
pub(crate) fn unreached(worker: &Worker, error: Unreached) -> Failure {
    let name = &worker.meta.name;
    match error {
        Unreached::NotAnswering { pid } => not_answering(worker, pid),
        Unreached::Exited(note) => ended_failure(worker, note.status),
        Unreached::Lost => {
            Failure::no(format!("worker `{name}` is lost: its host was killed, and its program with it"))
                .hint(format!("`abide logs {name}` prints its output, `abide rm {name}` removes it"))
        }
        Unreached::Answer(AttachError::Version { ours, theirs }) => {
            let error = AttachError::Version { ours, theirs };
            Failure::from(anyhow::Error::from(error).context(format!("cannot reach worker `{name}`")))
                .hint("use the release of abide that started it, or a newer one")
        }
        Unreached::Answer(AttachError::Ask(AskError::Refused(refused))) => refusal(worker, &refused),
        Unreached::Answer(error) => {
            Failure::from(anyhow::Error::from(error).context(format!("cannot reach worker `{name}`")))
                .hint("`abide doctor` checks the running hosts")
        }
    }
}

/// A worker cannot be watched any longer.
pub(crate) fn unwatched(worker: &Worker, error: WatchError) -> Failure {
    match error {
        WatchError::Unreached(error) => unreached(worker, error),
        WatchError::Broken(error) => {
            let context = format!("lost the connection to worker `{}`", worker.meta.name);
            Failure::from(anyhow::Error::from(error).context(context))
                .hint("`abide doctor` compares the releases of abide and its hosts")
        }
    }
}

/// A host is there and silent.
pub(crate) fn not_answering(worker: &Worker, pid: u32) -> Failure {
    Failure::ours(format!("the host of worker `{}` (process {pid}) is not answering", worker.meta.name))
        .hint(format!("it may be stopped, or the machine is overloaded: try `kill -CONT {pid}`, or try again in a moment"))
}

/// A host does not do what it was asked for.
pub(crate) fn refusal(worker: &Worker, refused: &protocol::Refused) -> Failure {
    use protocol::Refusal;
    let name = &worker.meta.name;
    let hint = match refused.code {
        Refusal::Version => "use the release of abide that started it, or a newer one".to_owned(),
        Refusal::InputFull => {
            format!("see what it does with `abide screen {name}`; try again when it reads")
        }
        Refusal::Exited => format!("`abide screen {name}` shows its last screen"),
        Refusal::Full => "detach one of its viewers first".to_owned(),
        Refusal::Upgrade => "the old host keeps running; read its log, or try another release".to_owned(),
        Refusal::Signal => "`abide kill` without a signal ends it".to_owned(),
        Refusal::ReadOnly | Refusal::BadMessage | Refusal::Other => {
            "`abide doctor` compares the releases of abide and its hosts".to_owned()
        }
    };
    let why = match refused.code {
        Refusal::InputFull => format!("the program in worker `{name}` does not read its input"),
        _ => format!("worker `{name}` refuses: {}", model::display_safe(&refused.message)),
    };
    Failure::no(why).hint(hint)
}

/// There is no host, since the worker has ended.
pub(crate) fn ended_failure(worker: &Worker, status: ExitStatus) -> Failure {
    let name = &worker.meta.name;
    Failure::no(format!("worker `{name}` has ended: {}", ended(status)))
        .hint(format!("`abide screen {name}` shows its last screen, `abide logs {name}` all its output"))
}

/// How a child ended, in words.
pub(crate) fn ended(status: ExitStatus) -> String {
    match status {
        ExitStatus::Killed { signal } => format!("killed by {}", signal_name(signal)),
        status => status.to_string(),
    }
}
