//! What a branch may be called.

use std::fmt;
use std::str::FromStr;

use model::display_safe;
use serde::{Deserialize, Serialize};

use crate::error::GitError;

/// A branch is a file, and its lock is another one with five letters more: longer ones fit no directory.
const MOST_BYTES: usize = 250;
/// Of a title's words, as many as can be read at a glance.
const MOST_SLUG: usize = 48;
/// Every branch that we name is in this directory of branches.
const OURS: &str = "abide";

/// The name of a branch, by git's own rules. It is never an option, however it looks to a shell: `$(id)` is a
/// name and stays one.
///
/// Git allows marks that change the direction of writing. `Display` shows a name safely, [`BranchName::as_str`] is the
/// name itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BranchName(String);

impl BranchName {
    /// The name as git has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name from the title of a task, such as `abide/fix-the-login`; `abide/task` if no word of it can be used.
    pub fn from_title(title: &str) -> BranchName {
        let mut slug = String::new();
        for word in title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let room = MOST_SLUG.saturating_sub(slug.len() + 1);
            match (slug.is_empty(), word.len() <= room) {
                (true, _) => slug.push_str(&word[..word.len().min(MOST_SLUG)]),
                (false, true) => slug.extend(["-", word]),
                (false, false) => break,
            }
        }
        slug.make_ascii_lowercase();
        BranchName(format!("{OURS}/{}", if slug.is_empty() { "task" } else { &slug }))
    }

    /// This name with a number behind it, shortened if need be.
    pub(crate) fn numbered(&self, number: u32) -> BranchName {
        let end = format!("-{number}");
        let mut kept = self.0.as_str();
        while kept.len() + end.len() > MOST_BYTES {
            kept = &kept[..kept.len() - kept.chars().next_back().map_or(0, char::len_utf8)];
        }
        BranchName(kept.trim_end_matches('/').to_owned() + &end)
    }

    /// This name without directories: `abide/x` becomes `abide-x`.
    pub(crate) fn flat(&self) -> BranchName {
        BranchName(self.0.replace('/', "-"))
    }

    /// The branch as git's commands for refs want it.
    pub(crate) fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }

    /// The name of a branch that we are about to make. It has no misleading characters.
    ///
    /// # Errors
    ///
    /// When parts of it could not be shown as they are.
    pub(crate) fn check_new(&self) -> Result<(), GitError> {
        if display_safe(&self.0) == self.0 {
            Ok(())
        } else {
            Err(self.bad("it has invisible characters, or characters that change the writing direction"))
        }
    }

    fn bad(&self, reason: &'static str) -> GitError {
        GitError::BadName { name: self.0.clone(), reason }
    }
}

/// Why git would not have a branch of this name.
fn problem(name: &str) -> Option<&'static str> {
    let forbidden =
        |c: char| c.is_ascii_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    if name.is_empty() {
        return Some("a branch needs a name");
    }
    if name.len() > MOST_BYTES {
        return Some("it is longer than 250 bytes");
    }
    if name.starts_with('-') {
        return Some("it begins with a dash, like an option");
    }
    if name.contains(forbidden) {
        return Some("it has a blank, a control character or one of ~ ^ : ? * [ \\");
    }
    if name.contains("..") || name.ends_with('.') {
        return Some("it has two dots in a row, or one at its end");
    }
    if name.contains("@{") || name == "@" || name == "HEAD" {
        return Some("git uses this name for something else");
    }
    if name.split('/').any(|part| part.is_empty() || part.starts_with('.') || part.ends_with(".lock")) {
        return Some("a part of it is empty, begins with a dot or ends in `.lock`");
    }
    None
}

impl FromStr for BranchName {
    type Err = GitError;

    fn from_str(text: &str) -> Result<BranchName, GitError> {
        match problem(text) {
            None => Ok(BranchName(text.to_owned())),
            Some(reason) => Err(GitError::BadName { name: text.to_owned(), reason }),
        }
    }
}

impl TryFrom<String> for BranchName {
    type Error = GitError;

    fn try_from(text: String) -> Result<BranchName, GitError> {
        text.parse()
    }
}

impl From<BranchName> for String {
    fn from(name: BranchName) -> String {
        name.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&display_safe(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_any_title_becomes_a_valid_name() {
        for (title, name) in [
            ("Fix the login! 日本", "abide/fix-the-login"),
            ("日本", "abide/task"),
            ("", "abide/task"),
            ("--force", "abide/force"),
            ("../../etc/passwd", "abide/etc-passwd"),
            ("a.lock", "abide/a-lock"),
            ("line\nbreak\u{1b}[31m", "abide/line-break-31m"),
            ("$(rm -rf /) `id` \"'", "abide/rm-rf-id"),
            ("HEAD", "abide/head"),
        ] {
            assert_eq!(BranchName::from_title(title).as_str(), name, "{title:?}");
        }
        let long = BranchName::from_title(&"word ".repeat(100));
        assert!(long.as_str().len() <= 6 + MOST_SLUG && long.as_str().ends_with("word"), "{long}");
        assert_eq!(BranchName::from_title(&"x".repeat(255)).as_str().len(), 6 + MOST_SLUG);
    }

    #[test]
    fn n1_a_numbered_name_is_still_a_name() {
        for name in ["x".repeat(250), format!("{}/é", "x".repeat(247)), "a/b".to_owned()] {
            let numbered = name.parse::<BranchName>().unwrap().numbered(1234);
            assert!(numbered.as_str().parse::<BranchName>().is_ok(), "{numbered}");
            assert!(numbered.as_str().ends_with("-1234"));
        }
    }

    #[test]
    fn s24_a_name_is_shown_safely() {
        let name: BranchName = "a\u{202e}b".parse().unwrap();
        assert_eq!(name.to_string(), "a\u{fffd}b");
        assert!(matches!(name.check_new(), Err(GitError::BadName { .. })));
    }
}
