//! The shells that we know: how to start them so that they mark their prompts, their commands and their directory, without
//! a change to the user's files.
//!
//! The marks are those of OSC 133 and OSC 7, which other terminals understand or ignore. A shell whose own files mark
//! already is left as it is.

mod directory;

use std::ffi::OsString;
use std::path::Path;

pub use directory::told_directory;

/// A shell that we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// bash, from 4.4 on.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
}

/// How to start a shell so that it marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables that it needs in place of those that it would get.
    pub variables: Vec<(OsString, OsString)>,
    /// The name of the file that it reads, in the directory that was given.
    pub file: &'static str,
    /// What is in the file.
    pub script: String,
}

impl Shell {
    /// All of them.
    pub const ALL: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

    /// Its name, which is that of its program.
    pub fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
        }
    }

    /// The shell of this name, or the one at this path.
    pub fn of(program: &str) -> Option<Shell> {
        let name = program.rsplit('/').next().unwrap_or(program);
        Shell::ALL.into_iter().find(|shell| shell.name() == name)
    }

    /// What the shell's own file has to contain for it to mark, where nobody starts it in a particular way.
    pub fn marks(self) -> &'static str {
        match self {
            Shell::Bash => include_str!("scripts/marks.bash"),
            Shell::Zsh => include_str!("scripts/marks.zsh"),
            Shell::Fish => include_str!("scripts/marks.fish"),
        }
    }

    /// What comes before that in the file that is read in place of the user's.
    fn beginning(self) -> &'static str {
        match self {
            Shell::Bash => include_str!("scripts/begin.bash"),
            Shell::Zsh => include_str!("scripts/begin.zsh"),
            Shell::Fish => "",
        }
    }

    /// The file that it reads. zsh wants this name.
    fn file(self) -> &'static str {
        match self {
            Shell::Bash => "shell.bash",
            Shell::Zsh => ".zshenv",
            Shell::Fish => "shell.fish",
        }
    }

    /// Whether a person types into it: whether it has none of the arguments by which it would run something else or read
    /// other files.
    fn is_for_a_person(self, arguments: &[String]) -> bool {
        arguments.iter().all(|argument| match (self, argument.as_str()) {
            (_, "-i") | (Shell::Fish, "--interactive") => true,
            // bash reads another file then.
            (Shell::Zsh | Shell::Fish, "-l" | "--login" | "-il" | "-li") => true,
            _ => false,
        })
    }
}

/// How to start this command, with a file in this directory, so that it marks. `None` if it is no shell that we know, or
/// not started for a person to type. `zdotdir` is the variable of that name in its environment.
pub fn start(command: &[String], zdotdir: Option<OsString>, dir: &Path) -> Option<Start> {
    let (program, arguments) = command.split_first()?;
    let shell = Shell::of(program).filter(|shell| shell.is_for_a_person(arguments))?;
    let path = dir.join(shell.file());
    let path = path.to_str()?;
    let ours: &[&str] = match shell {
        // Long options come before short ones.
        Shell::Bash => &["--rcfile", path],
        Shell::Zsh => &[],
        Shell::Fish => &["--init-command", &format!("source {}", quoted_for_fish(path))],
    };
    let words = [&[program.as_str()], ours].concat().into_iter().map(str::to_owned);
    let variables = match shell {
        Shell::Bash | Shell::Fish => Vec::new(),
        Shell::Zsh => {
            let own = zdotdir.map(|own| ("ABIDE_ZDOTDIR".into(), own));
            own.into_iter().chain([("ZDOTDIR".into(), dir.as_os_str().to_owned())]).collect()
        }
    };
    Some(Start {
        command: words.chain(arguments.iter().cloned()).collect(),
        variables,
        file: shell.file(),
        script: [shell.beginning(), shell.marks()].concat(),
    })
}

fn quoted_for_fish(word: &str) -> String {
    format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(words: &[&str]) -> Option<Start> {
        let command: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        start(&command, Some("/etc/mine".into()), Path::new("/w/it's"))
    }

    #[test]
    fn each_shell_reads_our_file_in_its_own_way() {
        assert_eq!(
            started(&["/bin/bash", "-i"]).unwrap().command,
            ["/bin/bash", "--rcfile", "/w/it's/shell.bash", "-i"]
        );
        let fish = started(&["fish", "-l"]).unwrap();
        assert_eq!(fish.command, ["fish", "--init-command", r"source '/w/it\'s/shell.fish'", "-l"]);
        let zsh = started(&["zsh"]).unwrap();
        assert_eq!((zsh.command, zsh.file), (vec!["zsh".to_owned()], ".zshenv"));
        let expected = [("ABIDE_ZDOTDIR", "/etc/mine"), ("ZDOTDIR", "/w/it's")];
        assert_eq!(zsh.variables, expected.map(|(name, value)| (name.into(), value.into())));
    }

    #[test]
    fn only_shells_that_a_person_types_into_are_changed() {
        let left: [&[&str]; 8] = [
            &[],
            &["vim"],
            &["bash", "script.sh"],
            &["bash", "-c", "make"],
            &["bash", "--norc"],
            &["bash", "-l"],
            &["zsh", "-f"],
            &["fish", "--no-config"],
        ];
        for words in left {
            assert_eq!(started(words), None, "{words:?}");
        }
    }
}
