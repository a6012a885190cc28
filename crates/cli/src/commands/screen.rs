//! `abide screen`: what a worker's terminal shows, without attaching a terminal.

use anyhow::Context;
use clap::{Args, ValueEnum};
use home::Worker;
use model::TermSize;
use serde::Serialize;
use terminal::{HistoryLimit, Terminal};

use crate::ansi;
use crate::failure::Failure;
use crate::output;
use crate::workers;
use reading::{End, Seen, Watch};
use viewer::reach::Unreached;

/// Memory that the lines asked for may take.
const HISTORY_BYTES: usize = 256 << 20;

/// Show the screen of a worker
///
/// For a worker that has ended, shows its last screen.
#[derive(Args)]
pub(super) struct Screen {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// The format to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Lines of history to show before the screen
    #[arg(long, default_value_t = 0, value_name = "N")]
    history: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Plain text, a line for each logical line
    Text,
    /// Text with colours, safe to print
    Ansi,
    /// An HTML fragment
    Html,
    /// An object with size, cursor, title and rows
    Json,
}

impl Screen {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?;
        let terminal = terminal(&worker, self.history)?;
        let lines = self.history as usize;
        match self.format {
            Format::Text => output::write(terminal.text(lines))?,
            Format::Html => output::write(terminal.html(lines))?,
            Format::Ansi => output::write(painted(&terminal, lines))?,
            Format::Json => output::write_json(&report(&terminal, lines))?,
        }
        Ok(0)
    }
}

/// A worker's terminal as it is now, or as it was at its end.
pub(super) fn terminal(worker: &Worker, history: u32) -> Result<Terminal, Failure> {
    let limit = HistoryLimit { lines: history as usize, bytes: HISTORY_BYTES };
    let mut watch = match Watch::start(&worker.dir, workers::quietly("screen", true, history)) {
        Ok(watch) => watch,
        Err(Unreached::Exited(_) | Unreached::Lost) => return recorded_terminal(worker, limit),
        Err(error) => return Err(workers::unreached(worker, error)),
    };
    loop {
        match watch.next(None).map_err(|error| workers::unwatched(worker, error))? {
            Seen::Screen(screen) => return Ok(screen.terminal(limit)),
            Seen::Ended(End::Exited(_) | End::Lost) => return recorded_terminal(worker, limit),
            Seen::Output { .. } | Seen::Late => {}
        }
    }
}

fn recorded_terminal(worker: &Worker, limit: HistoryLimit) -> Result<Terminal, Failure> {
    let name = &worker.meta.name;
    let terminal = reading::last_terminal(&worker.dir, limit)
        .with_context(|| format!("cannot read the recording of worker `{name}`"))?;
    terminal.ok_or_else(|| {
        Failure::no(format!("worker `{name}` has no last screen: it has no recording"))
            .hint(format!("its host's log may say why: {}", worker.dir.log().display()))
    })
}

fn painted(terminal: &Terminal, history: usize) -> String {
    let above = if terminal.on_alternate_screen() { 0 } else { history };
    ansi::paint(terminal.history_rows(above).chain(terminal.rows()))
}

/// A screen, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    size: TermSize,
    cursor: Cursor,
    title: String,
    alternate_screen: bool,
    rows: Vec<String>,
    history: Vec<String>,
}

#[derive(Serialize)]
struct Cursor {
    col: u16,
    row: u16,
    visible: bool,
}

fn report(terminal: &Terminal, history: usize) -> Report {
    let text = |row: terminal::StyledRow| row.text().trim_end().to_owned();
    let cursor = terminal.cursor();
    Report {
        size: terminal.size(),
        cursor: Cursor { col: cursor.col, row: cursor.row, visible: cursor.visible },
        title: model::display_safe(terminal.title()),
        alternate_screen: terminal.on_alternate_screen(),
        rows: terminal.rows().map(text).collect(),
        history: terminal.history_rows(history).map(text).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_every_row_and_the_cursor() {
        let mut terminal =
            Terminal::new(TermSize::clamped(10, 2), HistoryLimit { lines: 10, bytes: 1 << 20 });
        terminal.feed(b"\x1b]0;a\x1b]0;title\x07one\r\ntwo\r\nthree");
        let report = serde_json::to_value(report(&terminal, 5)).unwrap();
        let expected = serde_json::json!({
            "size": { "cols": 10, "rows": 2 },
            "cursor": { "col": 5, "row": 1, "visible": true },
            "title": "title",
            "alternateScreen": false,
            "rows": ["two", "three"],
            "history": ["one"],
        });
        assert_eq!(report, expected);
    }
}
