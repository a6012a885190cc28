//! Every link between our own documents leads somewhere.

use std::path::{Component, Path, PathBuf};

use super::{Finding, Source};

pub(super) fn check(source: &Source, exists: impl Fn(&Path) -> bool) -> Vec<Finding> {
    if !source.is("md") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut in_code = false;
    for (number, line) in source.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let dead = targets(line).into_iter().filter(|target| !leads(&source.path, target, &exists));
            findings.extend(
                dead.map(|target| source.finding(number, format!("the link `{target}` leads nowhere"))),
            );
        }
    }
    findings
}

/// What the links in a line point at: `[words](target)` and `[name]: target`.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    let first_word = |target: &str| target.split_whitespace().next().map(str::to_owned);
    inline.chain(reference).filter_map(first_word).collect()
}

/// The line without what stands in backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn leads(document: &Path, target: &str, exists: impl Fn(&Path) -> bool) -> bool {
    let path = target.split('#').next().unwrap_or("");
    path.is_empty() || is_address(path) || exists(&resolved(document, path))
}

fn is_address(target: &str) -> bool {
    ["http:", "https:", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
}

/// The target's path from the workspace on, with `..` worked out.
fn resolved(document: &Path, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    let from = document.parent().unwrap_or(Path::new(""));
    for part in from.join(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn dead(path: &str, text: &str) -> Vec<usize> {
        let exists =
            |path: &Path| ["README.md", "docs/threats.md"].iter().any(|there| path == Path::new(there));
        check(&source(path, text), exists).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn dead_links_are_found() {
        let text = "[a](docs/threats.md) [b](docs/gone.md)\n[c]: gone.md\n";
        assert_eq!(dead("README.md", text), [1, 2]);
    }

    #[test]
    fn links_are_followed_from_where_they_stand() {
        assert!(dead("docs/a.md", "[a](threats.md) [b](../README.md#top) [c](#here)").is_empty());
        assert_eq!(dead("docs/a.md", "[a](README.md)"), [1]);
    }

    #[test]
    fn code_and_addresses_are_no_links_of_ours() {
        let text = "[a](https://example.org/x) `[b](gone.md)`\n```\n[c](gone.md)\n```\n";
        assert!(dead("README.md", text).is_empty());
        assert!(dead("a.rs", "[a](gone.md)").is_empty());
    }
}
