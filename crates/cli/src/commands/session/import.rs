//! `abide session import`: the sessions of agent-console.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use api::{ImportReply, SkippedSession};
use clap::Args;
use serde_json::Value;

use crate::failure::Failure;
use crate::output;
use crate::the_server;

/// The server takes no more.
const MOST_BYTES: u64 = 1 << 20;

/// Import the sessions of agent-console
///
/// Reads its sessions.json, in the old form or the new one. The sessions come without running programs; start those
/// again yourself.
#[derive(Args)]
pub(in crate::commands) struct Import {
    /// The file, usually ~/.agent-console/sessions.json; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Import {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let sessions = sessions(&self.file)?;
        let ImportReply { imported, skipped } = server.import_sessions(&sessions)?;
        for session in &imported {
            output::write(format!("{session}\n"))?;
        }
        for session in &skipped {
            eprintln!("skipped {}", words(session));
        }
        eprintln!("{} imported, {} skipped; `abide session ls` lists them", imported.len(), skipped.len());
        Ok(0)
    }
}

/// The file's sessions, as JSON values of any kind.
fn sessions(file: &Path) -> Result<Vec<Value>, Failure> {
    let shown = model::display_safe(&file.to_string_lossy());
    let mut text = Vec::new();
    let mut read = || -> io::Result<()> {
        let mut reader: Box<dyn Read> = match file.as_os_str() == "-" {
            true => Box::new(io::stdin().lock()),
            false => Box::new(File::open(file)?),
        };
        reader.by_ref().take(MOST_BYTES + 1).read_to_end(&mut text).map(drop)
    };
    read()
        .with_context(|| format!("cannot read `{shown}`"))
        .map_err(|error| Failure::from(error).hint("name a file that exists and that you can read"))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Failure::ours(format!("`{shown}` is larger than {MOST_BYTES} bytes"))
            .hint("split its array into several files, and import those"));
    }
    serde_json::from_slice(&text)
        .with_context(|| format!("`{shown}` is not an array of sessions"))
        .map_err(|error| Failure::from(error).hint("abide imports agent-console's sessions.json"))
}

fn words(session: &SkippedSession) -> String {
    format!("`{}`: {}", model::display_safe(&session.id), model::display_safe(&session.reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_an_array_is_refused_before_it_is_sent() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("sessions.json");
        for (text, expected) in [("[]", 0), (r#"[{"id":"a"},{}]"#, 2)] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(sessions(&file).unwrap().len(), expected, "{text}");
        }
        for text in ["", "{}", "[1", "hello"] {
            std::fs::write(&file, text).unwrap();
            let refused = sessions(&file).unwrap_err();
            assert!(refused.sentence().contains("not an array of sessions"), "{refused:?}");
            assert!(refused.way_on().is_some());
        }
        std::fs::write(&file, vec![b' '; MOST_BYTES as usize + 1]).unwrap();
        assert!(sessions(&file).unwrap_err().sentence().contains("larger"));
        assert!(sessions(&dir.path().join("none")).unwrap_err().sentence().contains("cannot read"));
    }

    #[test]
    fn s24_skipped_sessions_are_shown_safely() {
        let skipped = SkippedSession { id: "a\u{1b}".into(), reason: "its directory is gone\n".into() };
        assert_eq!(words(&skipped), "`a\u{fffd}`: its directory is gone\u{fffd}");
    }
}
