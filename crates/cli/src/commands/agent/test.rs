//! `abide agent test`: what a screen would be taken for.

use std::io::Read;
use std::path::PathBuf;

use agents::{Detector, Heard, ScreenRows};
use anyhow::Context;
use clap::Args;
use std::time::Duration;

use super::replay::Line;
use crate::failure::{Failure, NO};
use crate::output;

/// A screen is believed that has stood for so long.
const STANDS_FOR: Duration = Duration::from_secs(5);
/// Larger texts are no screens.
const MOST_BYTES: u64 = 1 << 20;

/// Show what abide takes a screen for
///
/// Reads the text of a screen, for example that of `abide screen NAME`, and prints what the agent would be doing. Exits
/// with 1 if that is unknown. The cursor is taken to stand behind the last row.
#[derive(Args)]
pub(in crate::commands) struct Test {
    /// The text of the screen; by default standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The agent, as `claude` or `claude@2.1.197`; by default any program
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// The window's title
    #[arg(long)]
    title: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Test {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let agents = super::agents()?;
        let (agent, version) = match &self.agent {
            Some(name) => super::named(&agents, name)?,
            None => (agents.generic(), None),
        };
        let mut bytes = Vec::new();
        let mut reader: Box<dyn Read> = match &self.file {
            Some(path) => Box::new(
                std::fs::File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?,
            ),
            None => Box::new(std::io::stdin().lock()),
        };
        reader.by_ref().take(MOST_BYTES).read_to_end(&mut bytes).context("cannot read the screen")?;
        let rows: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
        let last = rows.iter().rposition(|row| !row.trim().is_empty()).unwrap_or(0);
        let col = rows.get(last).map_or(0, |row| row.trim_end().chars().count());
        let screen = ScreenRows { rows, cursor: (last, col), cursor_is_shown: false };
        let mut detector = Detector::new(agent, version);
        if let Some(title) = self.title {
            detector.hear(Duration::ZERO, &Heard::Title(title));
        }
        detector.printed(Duration::ZERO);
        detector.see(STANDS_FOR, &screen);
        detector.tick(STANDS_FOR + STANDS_FOR);
        let line = Line::of(STANDS_FOR, detector.state(), None);
        output::write(if self.json { line.json()? } else { line.text() })?;
        Ok(if detector.state().source.is_none() { NO } else { 0 })
    }
}
