//! Foreign text leaves through one exit: only `reading/src/exit.rs` makes a `ShownText`, after masking.

use super::{Finding, Source};

/// The only file that makes shown texts, and the one that defines them.
const EXIT: &[&str] = &["crates/reading/src/exit.rs", "crates/model/src/shown_text.rs"];

/// What makes one.
const MAKES: &[&str] = &["ShownText::masked", "ShownLines::masked"];

/// Checks that no other code makes a shown text.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !source.is("rs") {
        return Vec::new();
    }
    let path = source.path.to_string_lossy();
    let makes = |line: &str| !EXIT.contains(&path.as_ref()) && MAKES.iter().any(|word| line.contains(word));
    let code = source.lines().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter(|(_, line)| path.starts_with("crates/") && makes(line))
        .map(|(number, _)| {
            source.finding(
                number,
                "a `ShownText` is made by `reading::Exit` alone, which knows the secrets".to_owned(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    #[test]
    fn only_the_exit_makes_shown_texts() {
        let text = "// ShownText::masked is only mentioned here\nlet shown = ShownText::masked(title, |text| text.into());\n";
        let lines =
            |path: &str| check(&source(path, text)).iter().map(|finding| finding.line).collect::<Vec<_>>();
        assert_eq!(lines("crates/server/src/views.rs"), [2]);
        assert_eq!(lines("crates/reading/src/exit.rs"), [0; 0]);
        assert_eq!(lines("crates/model/src/shown_text.rs"), [0; 0]);
    }
}
