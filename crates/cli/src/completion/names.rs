//! The names of workers, tasks, repositories and sessions.
//!
//! Workers are read from the data directory: no host and no server is asked. Tasks, repositories and sessions are the
//! server's, and so are the commands that take them: without a server, there are no names.

use std::time::Duration;

use clap_complete::engine::CompletionCandidate;

use super::plain::is_plain;
use crate::named::Named;
use crate::the_server;
use crate::workers;

/// A person waits for this with a finger on the key; a server that is busy or stopped is not waited for.
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);

/// Which workers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Workers {
    /// Those that have a host.
    Running,
    /// Also those that have ended.
    All,
}

/// Workers by name, each with its command.
pub(super) fn workers(which: Workers) -> Vec<CompletionCandidate> {
    let workers = workers::home().ok().and_then(|home| home.workers().ok()).unwrap_or_default();
    let runs = |worker: &home::Worker| worker.dir.identity().is_some_and(|identity| identity.is_alive());
    let wanted = workers.iter().filter(|&worker| which == Workers::All || runs(worker));
    wanted.map(|worker| described(worker.meta.name.as_str(), &worker.meta.command.join(" "))).collect()
}

/// Things of the server: each by its name if a shell can take that as it is, or else by its id.
pub(super) fn of_server<T: Named>() -> Vec<CompletionCandidate> {
    let things = || -> Option<Vec<T>> {
        let server = the_server::find().ok()?.answering_within(ANSWERS_WITHIN);
        T::all(&server).ok()
    };
    let things = things().unwrap_or_default();
    let is_only = |name: &str| things.iter().filter(|thing| thing.name() == name).count() == 1;
    let candidate = |thing: &T| match is_plain(thing.name()) && is_only(thing.name()) {
        true => described(thing.name(), thing.id()),
        false => described(thing.id(), thing.name()),
    };
    things.iter().map(candidate).collect()
}

fn described(word: &str, description: &str) -> CompletionCandidate {
    CompletionCandidate::new(word.to_owned()).help(Some(description.to_owned().into()))
}
