//! What became of prompts, in lines.

use std::time::Instant;

use anyhow::Context;
use api::{DashboardEvent, DashboardMessage, ProblemBody, Prompt, PromptState, PromptWaitsFor, SentPrompt};
use client::{Client, Events};
use jiff::Timestamp;
use serde::Serialize;

use crate::duration::age;
use crate::failure::{Failure, NO};
use crate::output;
use crate::table::{self, Cell, Tint};

/// The result of sending a prompt to one worker.
pub(super) struct Sent {
    pub(super) name: String,
    pub(super) prompt: Result<Prompt, ProblemBody>,
}

impl Sent {
    pub(super) fn of(name: String, reply: SentPrompt) -> Sent {
        let refused =
            || Err(api::Problem::new(api::ErrorCode::Internal, "the server does not say why").error);
        let prompt = reply.prompt.map_or_else(|| reply.error.map_or_else(refused, Err), Ok);
        Sent { name, prompt }
    }
}

/// A step, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Step<'a> {
    name: &'a str,
    prompt: Option<&'a Prompt>,
    error: Option<&'a ProblemBody>,
}

/// Prints what became of prompts just now.
pub(super) fn print(sent: &[Sent], json: bool) -> Result<u8, Failure> {
    sent.iter().try_for_each(|sent| print_one(sent, json))?;
    Ok(if sent.iter().all(|sent| sent.prompt.is_ok()) { 0 } else { NO })
}

fn print_one(sent: &Sent, json: bool) -> Result<(), Failure> {
    if json {
        let (prompt, error) = (sent.prompt.as_ref().ok(), sent.prompt.as_ref().err());
        let step = Step { name: &sent.name, prompt, error };
        return output::write(serde_json::to_string(&step).context("cannot write JSON")? + "\n");
    }
    let name = model::display_safe(&sent.name);
    match &sent.prompt {
        Ok(prompt) => output::write(format!("{name}  {}  {}\n", prompt.id, words(&prompt.state))),
        Err(error) => {
            Failure::no(format!("{name}: {}", error.message)).tell();
            Ok(())
        }
    }
}

/// Listens to what becomes of prompts.
pub(super) struct Follower<'a> {
    server: &'a Client,
    events: Events,
}

impl Follower<'_> {
    pub(super) fn listen(server: &Client) -> Result<Follower<'_>, Failure> {
        Ok(Follower { server, events: server.events()? })
    }

    /// Prints each step of these prompts, until nothing more becomes of them.
    pub(super) fn follow(
        &mut self,
        mut sent: Vec<Sent>,
        deadline: Option<Instant>,
        json: bool,
    ) -> Result<u8, Failure> {
        sent.iter().try_for_each(|sent| print_one(sent, json))?;
        let is_open = |sent: &Sent| sent.prompt.as_ref().is_ok_and(|prompt| !prompt.state.is_settled());
        while sent.iter().any(is_open) {
            let Some(message) = self.events.next(deadline)? else {
                let open: Vec<_> = sent.iter().filter(|sent| is_open(sent)).map(|sent| &*sent.name).collect();
                return Err(Failure::no(format!("not taken up in time by: {}", open.join(", ")))
                    .hint("it stays queued; `abide prompt NAME --queue` shows what it waits for"));
            };
            let changed = match message {
                DashboardMessage::Event { event: DashboardEvent::PromptChanged { prompt }, .. } => {
                    vec![*prompt]
                }
                // Events may have been missed.
                DashboardMessage::State { .. } => {
                    let open = sent.iter().filter(|sent| is_open(sent));
                    let workers = open.filter_map(|sent| Some(sent.prompt.as_ref().ok()?.worker_id));
                    let known = workers.map(|worker| self.server.prompts(worker));
                    known.collect::<Result<Vec<_>, _>>()?.concat()
                }
                _ => continue,
            };
            for prompt in changed {
                let ours = sent.iter_mut().find(|sent| {
                    let known = sent.prompt.as_ref().ok();
                    known.is_some_and(|known| known.id == prompt.id && known.state != prompt.state)
                });
                if let Some(ours) = ours {
                    ours.prompt = Ok(prompt);
                    print_one(ours, json)?;
                }
            }
        }
        let has_started =
            |sent: &Sent| sent.prompt.as_ref().is_ok_and(|prompt| prompt.state == PromptState::Started);
        Ok(if sent.iter().all(has_started) { 0 } else { NO })
    }
}

/// What has become of a prompt, in words.
fn words(state: &PromptState) -> String {
    let waits_for = match state {
        PromptState::Queued { waits_for } => waits_for.map(|waits_for| match waits_for {
            PromptWaitsFor::Earlier => "behind another prompt",
            PromptWaitsFor::Answer => "the agent asks something",
            PromptWaitsFor::Idle => "the agent works",
            PromptWaitsFor::Activity => "it is not known what the program does",
        }),
        _ => None,
    };
    match waits_for.or(state.reason()) {
        Some(why) => format!("{}: {}", state.as_str(), model::display_safe(why)),
        None => state.as_str().to_owned(),
    }
}

/// The prompts of a worker, as a table.
pub(super) fn queue(prompts: &[Prompt]) -> String {
    let now = Timestamp::now();
    let mut rows = vec![["ID", "SENT", "STATE", "TEXT"].map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(prompts.iter().map(|prompt| {
        let tint = match &prompt.state {
            PromptState::Failed { .. } | PromptState::Unknown { .. } => Tint::Red,
            state if state.is_settled() => Tint::Faint,
            _ => Tint::Yellow,
        };
        [
            Cell::from(prompt.id.to_string()),
            Cell::from(age(prompt.created_at, now)),
            Cell::new(words(&prompt.state), tint),
            Cell::from(model::display_safe(&prompt.text)),
        ]
    }));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}
