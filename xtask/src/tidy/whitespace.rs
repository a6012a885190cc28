//! No line ends in blanks.

use super::{Finding, Source};

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !source.handwritten {
        return Vec::new();
    }
    let ends_blank = |line: &str| line.ends_with([' ', '\t']);
    let blank = source.lines().filter(|(_, line)| ends_blank(line));
    blank.map(|(number, _)| source.finding(number, "trailing whitespace; remove it")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn trailing_blanks_are_found_in_handwritten_files_only() {
        let text = "fine\nnot fine \n\tfine\nnot fine\t\n";
        let lines: Vec<_> = check(&source("a.md", text)).into_iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 4]);
        assert!(check(&source("tests/fixtures/a.txt", text)).is_empty());
    }
}
