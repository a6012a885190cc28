//! The commands that a repository wants to run in its worktrees: `.abide.toml`.
//!
//! ```toml
//! [worktree]
//! setup = ["npm ci"]
//! teardown = ["docker compose down"]
//! ```
//!
//! The text is not trusted. Nothing here runs it; a caller that does asks a person first, who sees every command as it
//! is and agrees to its hash.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use model::display_safe;
use sha2::{Digest, Sha256};
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
                        "setup" => setup = commands(line(at), value.get_ref())?,
                        "teardown" => teardown = commands(line(at), value.get_ref())?,
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

fn commands(line: usize, value: &DeValue<'_>) -> Result<Vec<String>, GitError> {
    let bad = |reason: &str| bad(Some(line), reason);
    let DeValue::Array(values) = value else {
        return Err(bad("expected a list of commands, such as [\"npm ci\"]"));
    };
    if values.len() > MOST_COMMANDS {
        return Err(bad("a list has at most 32 commands; put them in a script"));
    }
    let command = |value: &DeValue<'_>| match value {
        DeValue::String(text) if text.trim().is_empty() => Err(bad("a command is empty; remove it")),
        DeValue::String(text) if text.len() > MOST_COMMAND_BYTES => {
            Err(bad("a command has at most 4 KiB; put it in a script"))
        }
        DeValue::String(text) if !text.chars().all(is_shown_as_it_is) => {
            Err(bad("a command has invisible characters; remove them"))
        }
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err(bad("a command is a text in quotes")),
    };
    values.iter().map(|value| command(value.get_ref())).collect()
}

/// A person agrees to what they see.
fn is_shown_as_it_is(c: char) -> bool {
    let mut bytes = [0; 4];
    let text = &*c.encode_utf8(&mut bytes);
    matches!(c, '\n' | '\t') || display_safe(text) == text
}

fn bad(line: Option<usize>, reason: &str) -> GitError {
    GitError::BadProvisioning { line, reason: reason.to_owned() }
}
