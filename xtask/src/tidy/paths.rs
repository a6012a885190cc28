//! No file names a place that exists on one machine only.

use super::{Finding, Source};

/// Top directories in which people and build machines keep their checkouts.
///
/// Without their slashes, so that this file passes its own check.
const PLACES: [&str; 2] = ["work", "root"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        for place in PLACES.map(|place| format!("/{place}/")) {
            if line.match_indices(&place).any(|(at, _)| starts_a_path(&line[..at])) {
                findings
                    .push(source.finding(number, format!("`{place}…` is a place on one machine; name none")));
            }
        }
    }
    findings
}

/// Whether a path that follows `before` is absolute, not the middle of a longer one or of an address.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || "~_-./}".contains(last))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn absolute_paths_of_one_machine_are_found() {
        for place in PLACES {
            for text in [format!("/{place}/x"), format!("see `/{place}/x`"), format!("DIR=/{place}/x")] {
                assert_eq!(check(&source("a.rs", &text)).len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn relative_paths_and_addresses_are_not_found() {
        for text in ["crates/work/x", "https://example.org/root/x", "~/work/x", "$HOME/work/x", "workroot"] {
            assert_eq!(check(&source("a.rs", text)), [], "{text}");
        }
    }
}
