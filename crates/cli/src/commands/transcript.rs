//! `abide transcript`: the conversation of an agent, as text.

mod show;

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use api::TranscriptEntry;
use clap::Args;

use crate::failure::Failure;
use crate::{output, the_server, workers};

/// A person who follows a conversation does not notice a second.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Print the conversation of an agent
///
/// Prints prompts and answers as text, and a line for each thought, tool call and result, with secrets masked. It is read
/// from the file in which the agent keeps its own conversation. Needs the server: start it with `abide serve`.
#[derive(Args)]
pub(super) struct Transcript {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Also print what tools were given and gave back, and all thoughts
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Print a JSON object for each entry, one in each line
    #[arg(long)]
    json: bool,
    /// Keep printing until the worker ends
    #[arg(long, short)]
    follow: bool,
}

impl Transcript {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?.meta.worker;
        let server = the_server::find()?;
        let mut shown = Shown::default();
        let mut next: Option<String> = None;
        loop {
            // What is written before the end is read after it.
            let has_ended = server.worker(worker)?.ended_at.is_some();
            let page = server.transcript(worker, next.as_deref())?;
            if page.from_start && next.is_some() {
                shown = Shown::default();
                eprintln!("(the agent begins another conversation)");
            }
            for entry in page.entries.iter().filter(|entry| shown.is_new(entry)) {
                output::write(self.text(entry)?)?;
            }
            next = Some(page.next);
            if page.complete {
                if !self.follow || has_ended {
                    return Ok(0);
                }
                thread::sleep(LOOK_AGAIN);
            }
        }
    }

    fn text(&self, entry: &TranscriptEntry) -> Result<String, Failure> {
        if !self.json {
            return Ok(show::text(entry, self.full, output::takes_colours()));
        }
        let mut line = serde_json::to_string(entry).map_err(|error| Failure::ours(error.to_string()))?;
        line.push('\n');
        Ok(line)
    }
}

/// The entries that may come again, as they were shown.
#[derive(Default)]
struct Shown(HashMap<String, TranscriptEntry>);

impl Shown {
    fn is_new(&mut self, entry: &TranscriptEntry) -> bool {
        let Some(id) = &entry.id else { return true };
        let before = self.0.insert(id.to_string(), entry.clone());
        before.is_none_or(|before| before.content != entry.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_comes_again_is_printed_only_if_it_has_changed() {
        let entry = |text: &str| -> TranscriptEntry {
            let json =
                format!("{{\"id\":\"a\",\"at\":null,\"kind\":\"answer\",\"text\":\"{text}\",\"cut\":false}}");
            serde_json::from_str(&json).unwrap()
        };
        let mut shown = Shown::default();
        let is_new: Vec<bool> =
            ["half", "half", "whole"].map(|text| shown.is_new(&entry(text))).into_iter().collect();
        assert_eq!(is_new, [true, false, true]);
    }
}
