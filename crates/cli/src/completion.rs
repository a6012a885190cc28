//! Completing a command line: commands and options from their definitions, names from the data directory.
//!
//! The shell's script (`scripts/`) hands over the words, and gets one candidate on each line. Paths are left to the shell,
//! which knows how to quote them.

mod names;
mod plain;
mod words;

use std::ffi::OsString;

use clap::builder::ValueHint;
use clap::{Arg, Command};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};

use names::Workers;

/// Asks the shell to complete the name of a file.
const FILES: &str = ":files";

/// Asks the shell to complete the name of a directory.
const DIRECTORIES: &str = ":directories";

/// Commands that need a running worker; the others take any worker.
const NEED_A_RUNNING_WORKER: [&str; 6] = ["attach", "explain", "kill", "prompt", "send", "upgrade"];

/// The script that makes a shell ask `abide complete`, if there is one for that shell.
pub(crate) fn script(shell: Shell) -> Option<&'static str> {
    match shell {
        Shell::Bash => Some(include_str!("completion/scripts/abide.bash")),
        Shell::Fish => Some(include_str!("completion/scripts/abide.fish")),
        Shell::Zsh => Some(include_str!("completion/scripts/_abide")),
        _ => None,
    }
}

/// The answer to a shell: a line for each candidate. It is empty if nothing fits.
pub(crate) fn answer(command: Command, words: Vec<OsString>, index: usize) -> String {
    let words = words::up_to(index, words);
    let last = words.len().saturating_sub(1);
    let is_empty = words.last().is_none_or(|word| word.is_empty());
    let found = clap_complete::engine::complete(&mut with_names(command), words, last, None);
    let mut candidates = found.unwrap_or_default();
    let is_option = |candidate: &CompletionCandidate| plain::value(candidate).starts_with('-');
    if is_empty && !candidates.iter().all(is_option) {
        // Options would only stand in the way of the names; they are offered after a `-`.
        candidates.retain(|candidate| !is_option(candidate));
    }
    candidates.iter().filter_map(plain::line).collect()
}

/// Says for every argument where its values come from. The name of the value decides, as `--help` shows it.
fn with_names(command: Command) -> Command {
    let workers = match NEED_A_RUNNING_WORKER.contains(&command.get_name()) {
        true => Workers::Running,
        false => Workers::All,
    };
    command.mut_args(|argument| with_values(argument, workers)).mut_subcommands(with_names)
}

fn with_values(argument: Arg, workers: Workers) -> Arg {
    let name = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    match name.as_deref() {
        Some("NAME") if argument.is_positional() => {
            argument.add(ArgValueCandidates::new(move || names::workers(workers)))
        }
        Some("TASK") => argument.add(ArgValueCandidates::new(names::of_server::<api::Task>)),
        Some("REPO") => argument.add(ArgValueCandidates::new(names::of_server::<api::Repository>)),
        Some("SESSION") => argument.add(ArgValueCandidates::new(names::of_server::<api::Session>)),
        Some("DIR") => argument.add(asking_for(DIRECTORIES)),
        Some("CMD") => argument.add(asking_for(FILES)),
        _ if argument.get_value_hint() == ValueHint::AnyPath => argument.add(asking_for(FILES)),
        _ => argument,
    }
}

fn asking_for(paths: &'static str) -> ArgValueCompleter {
    ArgValueCompleter::new(move |_: &std::ffi::OsStr| vec![CompletionCandidate::new(paths)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        Command::new("abide").disable_help_subcommand(true).subcommand(
            Command::new("export")
                .about("Write a file")
                .arg(Arg::new("colour").value_name("COLOUR").value_parser(["red", "green"]))
                .arg(Arg::new("out").long("out").value_name("DIR")),
        )
    }

    fn completed(line: &[&str]) -> String {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        let index = words.len() - 1;
        answer(command(), words, index)
    }

    #[test]
    fn commands_come_with_their_descriptions() {
        assert_eq!(completed(&["abide", "ex"]), "export\tWrite a file\n");
    }

    #[test]
    fn options_are_offered_after_a_dash_or_where_nothing_else_fits() {
        assert_eq!(completed(&["abide", "export", ""]), "red\t\ngreen\t\n");
        assert!(completed(&["abide", "export", "-"]).contains("--out\t"));
        assert!(completed(&["abide", "export", "red", ""]).contains("--out\t"));
    }

    #[test]
    fn paths_are_left_to_the_shell() {
        assert_eq!(completed(&["abide", "export", "--out", "x"]), ":directories\t\n");
        // bash hands over `--out=x` in three words.
        assert_eq!(completed(&["abide", "export", "--out", "=", "x"]), ":directories\t\n");
    }

    #[test]
    fn a_line_that_makes_no_sense_has_no_completion() {
        assert_eq!(completed(&["abide", "nonsense", "x"]), "");
        assert_eq!(answer(command(), Vec::new(), 7), "");
    }
}
