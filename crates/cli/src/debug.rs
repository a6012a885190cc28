//! `abide debug`: the terminal model and connections, looked at from outside.

mod frames;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use model::TermSize;
use terminal::{HistoryLimit, SnapshotForm, Terminal};

use crate::failure::Failure;
use crate::shell;

/// Bytes of history a model may keep here: room for a million lines, and no danger to the machine.
const HISTORY_BYTES: usize = 256 << 20;

/// How much is read from standard input at once.
const CHUNK_BYTES: usize = 64 << 10;

#[derive(Subcommand)]
pub(crate) enum Debug {
    /// Write the snapshot of a byte stream on standard input
    ///
    /// Reads the input to its end like a terminal of this size. Then writes bytes that redraw the screen of that
    /// terminal.
    Snapshot(Snapshot),
    /// Write what a terminal would answer to a byte stream on standard input
    Replies(Replies),
    /// Run a shell with the terminal model beside it
    ///
    /// The output of the shell goes to your terminal unchanged, and to the model. Ctrl-\ then r redraws
    /// your screen from the model; Ctrl-\ then q hangs up; Ctrl-\ twice types one Ctrl-\.
    Shell(Shell),
    /// List the frames of a captured connection on standard input
    ///
    /// Prints a line for each frame: the byte it begins at, its type, the length of its payload, and its message in
    /// short.
    Frames(frames::Frames),
}

#[derive(Args)]
pub(crate) struct Snapshot {
    #[command(flatten)]
    size: Size,
    /// Lines of history to keep and to write
    #[arg(long, default_value_t = 1000, value_name = "N")]
    scrollback: usize,
    /// Resize the terminal to this size after the end of the input, for example 120x40
    #[arg(long, value_name = "CxR")]
    resize: Option<TermSize>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Form::Full)]
    form: Form,
}

#[derive(Args)]
pub(crate) struct Replies {
    #[command(flatten)]
    size: Size,
}

#[derive(Args)]
pub(crate) struct Shell {
    /// The command to run; by default your shell
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Args)]
struct Size {
    /// Columns of the terminal, 2 to 1000
    #[arg(long, default_value = "80", value_parser = columns, allow_negative_numbers = true, value_name = "C")]
    cols: u16,
    /// Rows of the terminal, 1 to 1000
    #[arg(long, default_value = "24", value_parser = rows, allow_negative_numbers = true, value_name = "R")]
    rows: u16,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// For a fresh terminal: a reset, history, both screens and all modes
    Full,
    /// For a terminal in use: the visible screen and all modes, drawn on its alternate screen
    Screen,
    /// History and screen as plain text
    Text,
    /// History and screen as a piece of HTML
    Html,
}

impl Debug {
    /// Runs the command and returns the exit code.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self {
            Debug::Snapshot(snapshot) => snapshot.run()?,
            Debug::Replies(replies) => replies.run()?,
            Debug::Shell(shell) => return shell::run(&shell.command),
            Debug::Frames(frames) => frames.run()?,
        }
        Ok(0)
    }
}

impl Snapshot {
    fn run(self) -> Result<()> {
        let history = self.scrollback;
        let mut terminal =
            Terminal::new(self.size.get(), HistoryLimit { lines: history, bytes: HISTORY_BYTES });
        feed_input(|bytes| {
            terminal.feed(bytes);
            terminal.take_replies();
            terminal.take_signals();
            Ok(())
        })?;
        if let Some(size) = self.resize {
            terminal.resize(size);
        }
        write_output(&match self.form {
            Form::Full => terminal.snapshot(SnapshotForm::Full { history }),
            Form::Screen => terminal.snapshot(SnapshotForm::Screen),
            Form::Text => terminal.text(history).into_bytes(),
            Form::Html => terminal.html(history).into_bytes(),
        })
    }
}

impl Replies {
    fn run(self) -> Result<()> {
        let mut terminal = Terminal::new(self.size.get(), HistoryLimit { lines: 0, bytes: 0 });
        feed_input(|bytes| {
            terminal.feed(bytes);
            write_output(&terminal.take_replies())
        })
    }
}

impl Size {
    fn get(&self) -> TermSize {
        TermSize::clamped(self.cols, self.rows)
    }
}

/// A number of columns; what is beyond the limit is clamped to it, as everywhere.
fn columns(text: &str) -> Result<u16, String> {
    count(text).ok_or_else(|| {
        format!("give a number of columns from {} to {}", TermSize::MIN.cols(), TermSize::MAX.cols())
    })
}

/// A number of rows, likewise.
fn rows(text: &str) -> Result<u16, String> {
    count(text).ok_or_else(|| {
        format!("give a number of rows from {} to {}", TermSize::MIN.rows(), TermSize::MAX.rows())
    })
}

fn count(text: &str) -> Option<u16> {
    let number = text.parse::<u64>().ok().filter(|&number| number > 0)?;
    Some(u16::try_from(number).unwrap_or(u16::MAX))
}

/// Hands standard input over, piece by piece, to its end.
fn feed_input(mut feed: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        eprintln!("hint: reading from the terminal; end with Ctrl-D, or give a file with `<`");
    }
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => feed(&chunk[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("cannot read standard input"),
        }
    }
}

fn write_output(bytes: &[u8]) -> Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes).and_then(|()| output.flush()).context("cannot write standard output")
}
