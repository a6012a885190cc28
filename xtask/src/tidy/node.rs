//! In the crate `server`, only the seam `Node` reaches workers: their files and hosts, their recordings, and git.

use super::{Finding, Source};

/// The crate whose seam it is.
const SERVER: &str = "crates/server/src/";

/// The files that are the seam.
const NODE: &[&str] = &["node.rs", "node/"];

/// The files that hold the data directory for the server's own files: its lock, its database, its settings.
const HOME: &[&str] = &["lock.rs", "lock/", "options.rs", "run.rs"];

/// The word for the data directory.
const DATA_DIRECTORY: &str = "Home";

/// Words that reach a worker or a worktree without the node. At a word's beginning, the line has no other letter before
/// it: `git::provisioning(` is found, and `legit::provisioning(` is not.
const USES: &[&str] = &[
    // Paths that are built from ids.
    "WorkerDir",
    "workers_dir(",
    "worker_dirs(",
    "home.worker(",
    "home().worker(",
    "join(\"git\")",
    "join(\"recording\")",
    "join(\"setups\")",
    "join(\"trash\")",
    "join(\"uploads\")",
    "join(\"workers\")",
    "join(\"worktrees\")",
    // Files and directories of workers and worktrees.
    "home.finish_removals(",
    "home::private_dir",
    "is_dir()",
    "canonicalize()",
    // Running git. A closure that `Node::git` calls may ask git.
    "Git::at(",
    "Git::find",
    "git::provisioning(",
    "with_locks(",
    "with_stop(",
    // Starting and reaching hosts, and other processes.
    "home::child_environment",
    "home::login_shell",
    "home::start",
    "keeper::",
    "process::Command",
    "system::DirectoryWatch",
    "system::Process",
    "system::group",
    "system::processes",
    "system::program",
    "system::sessions",
    "system::{",
    "viewer::",
    // Reading recordings.
    "masking::",
    "playback::",
    "reading::",
    "recording::",
];

/// Checks the code of the server. Its tests may look at the disk.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let path = source.path.to_string_lossy();
    let Some(file) = path.strip_prefix(SERVER).filter(|_| source.is("rs")) else { return Vec::new() };
    if is_in(file, NODE) || file.ends_with("tests.rs") {
        return Vec::new();
    }
    let code = source.lines().take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let holds_home = !is_in(file, HOME) && has_name(line, DATA_DIRECTORY);
        let used = USES.iter().find(|word| begins(line, word)).or(holds_home.then_some(&DATA_DIRECTORY))?;
        let what = format!("`{used}` reaches a worker: ask the `Node`, or add it in `server/src/node/`");
        Some(source.finding(number, what))
    })
    .collect()
}

/// Whether a file is one of these, or in one of these folders.
fn is_in(file: &str, places: &[&str]) -> bool {
    places.iter().any(|place| file == *place || (place.ends_with('/') && file.starts_with(place)))
}

/// Whether a word stands in a line, and does not continue another one.
fn begins(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(is_of_name))
}

/// Whether a name stands in a line, as a whole.
fn has_name(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
    })
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&source(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_server_reaches_workers_through_the_node_alone() {
        let text = "\
use home::{Home, WorkerDir};
// home.worker(id) is only mentioned here
let path = root.join(\"worktrees\").join(id.as_str());
let git = git::Git::find()?;
let work = node.git(move |git| git.work(&path)).await?;
let reached = viewer::reach::condition(&dir);
#[cfg(test)]
let is_there = path.is_dir();
";
        assert_eq!(lines("crates/server/src/tasks/start.rs", text), [1, 3, 4, 6]);
        assert_eq!(lines("crates/server/src/node_names.rs", text), [1, 3, 4, 6]);
        for path in [
            "crates/server/src/node.rs",
            "crates/server/src/node/hosts.rs",
            "crates/server/src/lock/tests.rs",
            "crates/server/tests/relay/house.rs",
            "crates/cli/src/workers.rs",
        ] {
            assert_eq!(lines(path, text), [0; 0], "{path}");
        }
    }

    #[test]
    fn the_servers_own_files_are_found_through_the_data_directory() {
        let text = "use home::Home;\nlet database = home.root().join(\"abide.db\");\nhome.worker(id)\n";
        assert_eq!(lines("crates/server/src/run.rs", text), [3]);
        assert_eq!(lines("crates/server/src/app.rs", text), [1, 3]);
    }

    #[test]
    fn what_the_server_asks_about_its_own_process_reaches_no_worker() {
        let text = "system::secrets::keep_memory_private();\nsystem::memory::give_back();\nsystem::Process::of(pid);\n";
        assert_eq!(lines("crates/server/src/run.rs", text), [3]);
    }

    #[test]
    fn longer_names_are_other_names() {
        let text = "let failed = StartError::HomeError;\nlet quick = HomeOf(1);\nmy_reading::open();\n";
        assert_eq!(lines("crates/server/src/app.rs", text), [0; 0]);
    }
}
