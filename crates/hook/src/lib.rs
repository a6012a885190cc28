//! The program that the hooks of an agent run.
//!
//! It reads an event of the agent on its standard input, leaves it in the worker's directory, and tells the server that
//! there is a new one. It returns at once, with or without a server, so an agent never waits for it. Only a request for a
//! permission may be answered through it: for that one it waits, while the agent shows its dialog in the terminal. An answer
//! comes through a socket in the worker's directory, from the server or from any other program of abide.

mod event;
mod tell;
mod wait;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use home::{HookEvent, WorkerDir};
use jiff::Timestamp;

use crate::wait::Waiting;

/// No event is larger. A larger one is not taken.
const MOST_EVENT_BYTES: u64 = 16 << 20;

/// Handles one event of the agent in the worker whose directory is the first argument. If the second is `answers`, the
/// agent takes an answer. It never fails: an agent shows the failures of its hooks to the user.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let dir = arguments.next().and_then(|path| WorkerDir::at(Path::new(&path)));
    let takes_answer = arguments.next().is_some_and(|word| word == "answers");
    if let Some(dir) = dir {
        handle(&dir, takes_answer);
    }
    ExitCode::SUCCESS
}

fn handle(dir: &WorkerDir, takes_answer: bool) -> Option<()> {
    let mut text = Vec::new();
    std::io::stdin().take(MOST_EVENT_BYTES).read_to_end(&mut text).ok()?;
    let event = event::shortened(serde_json::from_slice(&text).ok()?);
    drop(text);
    if event::ends_questions(&event) {
        dir.release_hooks();
    }
    // It listens before anyone can know of the event.
    let waiting = if takes_answer { Waiting::begin(dir) } else { None };
    let answer = waiting.as_ref().map(|waiting| waiting.id().to_owned());
    dir.leave_hook_event(&HookEvent { at: Timestamp::now(), answer, event }).ok()?;
    tell::the_server();
    let answer = waiting?.answer()?;
    let mut out = std::io::stdout().lock();
    out.write_all(answer.as_bytes()).and_then(|()| out.flush()).ok()
}
