//! The commands that a repository wants to run in its worktrees: `.abide.toml`.
//!
//! ```toml
//! [worktree]
//! setup = ["npm ci"]
//! teardown = ["docker compose down"]
//! ```
//!
//! The text is not trusted. Nothing here runs it; a caller that does asks a person first, who sees every command as it
//! is and agrees to its hash. A command that a person could not see as it is is refused here, so that it can neither be
//! agreed to nor run.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use model::{as_seen, display_safe};
use sha2::{Digest, Sha256};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::GitError;
use crate::locks::hex;
use crate::small_file;

const FILE: &str = ".abide.toml";
/// A person would not read more than this before agreeing to it.
const MOST_BYTES: u64 = 64 << 10;
const MOST_COMMANDS: usize = 32;
const MOST_COMMAND_BYTES: usize = 4 << 10;
const MOST_WARNINGS: usize = 20;
const REMEDY: &str = "change the file: you cannot agree to a command that you cannot see";

/// Commands that a repository asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provisioning {
    /// Run in a new worktree, in this order.
    pub setup: Vec<String>,
    /// Run in a worktree before it is removed, in this order.
    pub teardown: Vec<String>,
    /// SHA-256 over all commands, in hex. A consent to this hash is a consent to these commands and no others.
    pub hash: String,
    /// Keys that mean nothing to us, each with its line, safe to show.
    pub warnings: Vec<String>,
}

/// Reads what a worktree asks for; nothing if it has no `.abide.toml`.
///
/// # Errors
///
/// When the file is no ordinary file, too large, or not what it should be.
pub fn provisioning(worktree: &Path) -> Result<Option<Provisioning>, GitError> {
    let Some(file) = open(worktree)? else { return Ok(None) };
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(bad(None, "it is not UTF-8")),
        Err(error) => return Err(GitError::io("read", &worktree.join(FILE))(error)),
        Ok(read) if read as u64 > MOST_BYTES => {
            return Err(bad(None, "it is larger than 64 KiB; shorten it"));
        }
        Ok(_) => {}
    }
    parse(&text).map(Some)
}

fn open(worktree: &Path) -> Result<Option<File>, GitError> {
    let path = worktree.join(FILE);
    small_file::open(&path).map(Some).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound if worktree.is_dir() => Ok(None),
        io::ErrorKind::NotFound => Err(GitError::Missing { path: worktree.to_owned() }),
        io::ErrorKind::InvalidInput => {
            Err(bad(None, "it is not a regular file; replace it with one, not with a link"))
        }
        _ => Err(GitError::io("open", &path)(error)),
    })
}

fn parse(text: &str) -> Result<Provisioning, GitError> {
    let line = |at: usize| text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        bad(Some(line(error.span().map_or(0, |span| span.start))), &display_safe(error.message()))
    })?;
    let (mut setup, mut teardown, mut warnings) = (Vec::new(), Vec::new(), Vec::<(usize, String)>::new());
    let mut unknown = |at: usize, key: &str| {
        if warnings.len() < MOST_WARNINGS {
            let remedy = match key {
                "setup" | "teardown" => "put it below a line `[worktree]`",
                _ => "it is ignored; `[worktree]` has `setup` and `teardown`",
            };
            warnings.push((line(at), format!("unknown key `{}`: {remedy}", display_safe(key))));
        }
    };
    for (key, value) in table.get_ref() {
        let at = key.span().start;
        match (&**key.get_ref(), value.get_ref()) {
            ("worktree", DeValue::Table(fields)) => {
                for (key, value) in fields {
                    let at = key.span().start;
                    match &**key.get_ref() {
                        "setup" => setup = commands("setup", value, line)?,
                        "teardown" => teardown = commands("teardown", value, line)?,
                        other => unknown(at, &format!("worktree.{other}")),
                    }
                }
            }
            ("worktree", _) => return Err(bad(Some(line(at)), "expected a table, `[worktree]`")),
            (other, _) => unknown(at, other),
        }
    }
    warnings.sort();
    let warnings = warnings.into_iter().map(|(line, words)| format!("line {line}: {words}")).collect();
    let all = serde_json::to_vec(&(&setup, &teardown)).expect("lists of texts are JSON");
    Ok(Provisioning { setup, teardown, hash: hex(&Sha256::digest(all)), warnings })
}

/// The commands of one list. `line` gives the line of a place in the file.
fn commands(
    list: &str,
    value: &Spanned<DeValue<'_>>,
    line: impl Fn(usize) -> usize,
) -> Result<Vec<String>, GitError> {
    let at = line(value.span().start);
    let DeValue::Array(values) = value.get_ref() else {
        return Err(bad(Some(at), "expected a list of commands, such as [\"npm ci\"]"));
    };
    if values.len() > MOST_COMMANDS {
        return Err(bad(Some(at), "a list has at most 32 commands; put them in a script"));
    }
    let command = |(index, value): (usize, &Spanned<DeValue<'_>>)| {
        let bad = |reason: &str| {
            let words = format!("command {} of `{list}`: {reason}", index + 1);
            Err(bad(Some(line(value.span().start)), &words))
        };
        match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => bad("it is empty; remove it"),
            DeValue::String(text) if text.len() > MOST_COMMAND_BYTES => {
                bad("it has more than 4 KiB; put it in a script")
            }
            DeValue::String(text) => match as_seen(text) {
                Ok(_) => Ok(text.to_string()),
                Err(unseen) => bad(&format!("{unseen}; {REMEDY}")),
            },
            _ => bad("it is not a text in quotes"),
        }
    };
    values.iter().enumerate().map(command).collect()
}

fn bad(line: Option<usize>, reason: &str) -> GitError {
    GitError::BadProvisioning { line, reason: reason.to_owned() }
}
