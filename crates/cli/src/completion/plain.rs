//! Candidates as lines for a shell.

use clap_complete::engine::CompletionCandidate;

use super::{DIRECTORIES, FILES};

/// A description is a hint, not a text: so many characters fit beside a name.
const LONGEST_DESCRIPTION: usize = 60;

/// What a candidate puts on the command line.
pub(super) fn value(candidate: &CompletionCandidate) -> String {
    candidate.get_value().to_string_lossy().into_owned()
}

/// A candidate's line: word, tab, description. None for a word that a shell would read as something else than itself.
pub(super) fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = value(candidate);
    if ![FILES, DIRECTORIES].contains(&value.as_str()) && !is_plain(&value) {
        return None;
    }
    let description = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    Some(format!("{value}\t{}\n", shortened(&description)))
}

/// Whether every shell takes a word as it is, wherever it stands.
///
/// Names of repositories and titles of tasks can hold anything, `$(…)` as well. A shell puts a candidate on the
/// command line as it is, so such a word would run when the user presses Enter.
pub(super) fn is_plain(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._/@+-".contains(letter);
    // `--repo=project` is one word in zsh and fish.
    let value = word.split_once('=').filter(|(option, _)| option.starts_with("--"));
    let parts = value.map_or([word, "-"], |(option, value)| [option, value]);
    parts.iter().all(|part| !part.is_empty() && part.chars().all(is_plain))
}

fn shortened(description: &str) -> String {
    let line = model::display_safe(description.lines().next().unwrap_or_default()).replace('\t', " ");
    match line.char_indices().nth(LONGEST_DESCRIPTION) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(value: &str, help: &str) -> Option<String> {
        line(&CompletionCandidate::new(value.to_owned()).help(Some(help.to_owned().into())))
    }

    #[test]
    fn a_line_is_a_word_and_a_description_that_shows_as_it_is() {
        assert_eq!(line_of("build", "make test\nmore").unwrap(), "build\tmake test\n");
        let odd = line_of("build", "\u{1b}[31m\tred").unwrap();
        assert!(!odd.contains('\u{1b}') && odd.matches('\t').count() == 1, "{odd:?}");
        let long = line_of("build", &"x".repeat(500)).unwrap();
        assert_eq!(long.chars().count(), "build\t…\n".chars().count() + LONGEST_DESCRIPTION);
    }

    #[test]
    fn n1_a_word_that_a_shell_would_run_or_split_is_not_offered() {
        for odd in [
            "$(reboot)",
            "a b",
            "`x`",
            "a;b",
            "*",
            "~",
            "a'b",
            "a\"b",
            "a\\b",
            "!x",
            "",
            "é",
            "a\nb",
            "=ls",
            "--x=$y",
        ] {
            assert_eq!(line_of(odd, "x"), None, "{odd:?}");
        }
        assert!(line_of(FILES, "").is_some() && line_of("a.b_c-d/e@f+g", "").is_some());
        assert!(line_of("--repo=project", "").is_some());
    }
}
