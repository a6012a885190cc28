//! `abide prompt`: sends prompts to agents, and shows what became of them.

mod receipts;
mod text;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use api::{SendPrompt, SendPrompts};
use clap::{ArgGroup, Args};
use client::Client;
use model::PromptId;

use crate::failure::Failure;
use crate::{output, the_server, workers};
use receipts::{Follower, Sent};

/// Send a prompt to agents that run
///
/// abide types it when the agent is idle, or while it works: agents queue what they get then. It types nothing into a
/// question, and no prompt twice. Prompts of one worker are sent in their order. Prints a line for each worker: its name,
/// the prompt's id, and what has become of it. Needs the server: start it with `abide serve`.
#[derive(Args)]
#[command(
    override_usage = "abide prompt [OPTIONS] <NAME>... <TEXT>\n       \
                      abide prompt [OPTIONS] --file <FILE> <NAME>...\n       \
                      abide prompt <--queue|--remove <ID>|--empty> <NAME>",
    group = ArgGroup::new("queue of").args(["queue", "remove", "empty"])
)]
pub(super) struct Prompt {
    /// The workers' names, or the beginnings of their ids; then the text
    #[arg(value_name = "NAME", required = true)]
    words: Vec<String>,
    /// Wait until the agent is idle, and do not send it while it works
    #[arg(long, conflicts_with = "queue of")]
    when_idle: bool,
    /// Read the text from a file; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, conflicts_with = "queue of")]
    file: Option<PathBuf>,
    /// Wait until each agent works on it, and print each step. Exits with 1 if one of them does not
    #[arg(long, conflicts_with = "queue of")]
    wait: bool,
    /// With `--wait`, wait at most this many seconds
    #[arg(long, value_name = "S", requires = "wait", value_parser = super::wait::seconds)]
    timeout: Option<Duration>,
    /// A text of your own: a prompt that you send again with the same key is not sent twice
    #[arg(long, value_name = "KEY", conflicts_with = "queue of")]
    key: Option<String>,
    /// Show the worker's prompts: those that wait, and what became of the last ones
    #[arg(long)]
    queue: bool,
    /// Remove a prompt that waits
    #[arg(long, value_name = "ID")]
    remove: Option<PromptId>,
    /// Remove all prompts that wait
    #[arg(long)]
    empty: bool,
    /// Print JSON. With `--wait`, an object on a line for each step
    #[arg(long)]
    json: bool,
}

impl Prompt {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        if self.queue || self.empty || self.remove.is_some() {
            return self.look_after_queue(&server);
        }
        let (names, text) = match &self.file {
            Some(path) => (self.words.as_slice(), text::read(path)?),
            None => match self.words.split_last() {
                Some((text, names)) if !names.is_empty() => (names, text.clone()),
                _ => {
                    return Err(Failure::usage("there is no text to send")
                        .hint("give it behind the names, or name a file with `--file`"));
                }
            },
        };
        let home = workers::home()?;
        let named = names.iter().map(|name| Ok((workers::called(&home, name)?.meta.worker, name.clone())));
        let named = named.collect::<Result<Vec<_>, Failure>>()?;
        let mut follower = match self.wait {
            true => Some(Follower::listen(&server)?),
            false => None,
        };
        let sent = match named.as_slice() {
            [(worker, name)] => {
                let prompt = SendPrompt { text, when_idle: self.when_idle, key: self.key };
                vec![Sent { name: name.clone(), prompt: Ok(server.send_prompt(*worker, &prompt)?) }]
            }
            _ => {
                let worker_ids = named.iter().map(|(worker, _)| *worker).collect();
                let prompts = SendPrompts { worker_ids, text, when_idle: self.when_idle, key: self.key };
                let name_of =
                    |id| named.iter().find(|(worker, _)| *worker == id).map(|(_, name)| name.clone());
                let replies = server.send_prompts(&prompts)?.into_iter();
                replies.map(|reply| Sent::of(name_of(reply.worker_id).unwrap_or_default(), reply)).collect()
            }
        };
        let Some(follower) = &mut follower else { return receipts::print(&sent, self.json) };
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        follower.follow(sent, deadline, self.json)
    }

    fn look_after_queue(&self, server: &Client) -> Result<u8, Failure> {
        let [name] = self.words.as_slice() else {
            return Err(Failure::usage("name one worker").hint("each worker has a queue of its own"));
        };
        let worker = workers::called(&workers::home()?, name)?.meta.worker;
        if let Some(prompt) = self.remove {
            server.remove_prompt(worker, prompt)?;
        } else if self.empty {
            server.empty_prompts(worker)?;
        } else {
            let prompts = server.prompts(worker)?;
            output::write_list(&prompts, self.json, "no prompt was sent to it", |prompts| {
                Ok(receipts::queue(prompts))
            })?;
        }
        Ok(0)
    }
}
