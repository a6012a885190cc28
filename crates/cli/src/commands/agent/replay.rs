//! `abide agent replay`: what an agent was doing in a recording.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{Agent, Agents, Change, Detector, Question, State, Turn, Version};
use anyhow::Context;
use clap::Args;
use export::import::{self, CastHeader, EventKind, Limits};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::output;

/// Show what an agent was doing in a recording, as abide understands it
///
/// Plays an asciicast file (version 1, 2 or 3) and prints a line whenever the agent's activity changes: the seconds since
/// the beginning, the activity (active, idle, asking or unknown), what kind of answer the agent needs, and what that is
/// known from.
#[derive(Args)]
pub(in crate::commands) struct Replay {
    /// The recording; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The agent, as `claude` or `claude@2.1.197`; by default known from the recording's command or title
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// What the agent's hooks told: a JSON array `[seconds, event]` in each line
    #[arg(long, value_name = "FILE")]
    hooks: Option<PathBuf>,
    /// Print JSON, one object in each line
    #[arg(long)]
    json: bool,
}

/// A change, as it is printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    t: f64,
    activity: &'static str,
    kind: Option<&'static str>,
    source: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    detail: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<Ended<'a>>,
}

/// A turn that ended with this change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ended<'a> {
    began: f64,
    how: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl Replay {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let agents = super::agents()?;
        let reader: Box<dyn BufRead> = if self.file.as_os_str() == "-" {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(open(&self.file)?))
        };
        let cannot = |error| {
            let error = anyhow::Error::from(error).context(format!("cannot read `{}`", self.file.display()));
            Failure::from(error)
                .hint("name an asciicast file, as `asciinema rec` and `abide export` write them")
        };
        let events = import::import(reader, Limits::default()).map_err(cannot)?;
        let (agent, version) = match &self.agent {
            Some(name) => super::named(&agents, name)?,
            None => recorded(&agents, events.header()),
        };
        let mut hooks =
            self.hooks.as_deref().map(read_hooks).transpose()?.unwrap_or_default().into_iter().peekable();
        let mut replay = agents::Replay::new(Detector::new(agent, version), events.header().size);
        for event in events {
            let event = event.map_err(cannot)?;
            let now = Duration::from_micros(event.time_us);
            while let Some((at, hook)) = hooks.next_if(|(at, _)| *at <= now) {
                replay.hook(at, &hook);
            }
            match event.kind {
                EventKind::Output(text) => replay.output(now, text.as_bytes()),
                EventKind::Resize(size) => replay.resize(now, size),
                EventKind::Exit(_) => replay.exited(now),
                EventKind::Marker(_) => replay.until(now),
            }
            self.print(replay.take_changes())?;
        }
        for (at, hook) in hooks {
            replay.hook(at, &hook);
        }
        self.print(replay.take_changes())?;
        Ok(0)
    }

    fn print(&self, changes: Vec<Change>) -> Result<(), Failure> {
        for change in &changes {
            let line = Line::of(change.at, &change.state, change.turn.as_ref());
            output::write(if self.json { line.json()? } else { line.text() })?;
        }
        Ok(())
    }
}

impl<'a> Line<'a> {
    pub(super) fn of(at: Duration, state: &'a State, turn: Option<&'a Turn>) -> Line<'a> {
        let question = state.question.as_ref();
        let all = |texts: fn(&Question) -> &Vec<String>| {
            question.into_iter().flat_map(texts).map(String::as_str).collect::<Vec<_>>()
        };
        Line {
            t: seconds(at),
            activity: state.activity.as_str(),
            kind: question.and_then(|question| Some(question.kind?.as_str())),
            source: state.source.map(agents::Evidence::as_str),
            text: question.and_then(|question| question.text.as_deref()),
            detail: all(|question| &question.detail),
            choices: all(|question| &question.choices),
            error: state.error.as_deref(),
            turn: turn.map(|turn| Ended {
                began: seconds(turn.began),
                how: turn.how.as_str(),
                message: turn.message.as_deref(),
            }),
        }
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string(self).context("cannot write JSON")? + "\n")
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{:>9.3}  {:<8}", self.t, self.activity);
        let words = [self.kind.map(str::to_owned), self.source.map(|source| format!("({source})"))];
        let turn = self.turn.as_ref().map(|turn| format!("turn {}", turn.how));
        let about = self.text.or(self.error).map(str::to_owned);
        for word in words.into_iter().chain([about, turn]).flatten() {
            text += &format!("  {word}");
        }
        text.trim_end().to_owned() + "\n"
    }
}

fn seconds(at: Duration) -> f64 {
    (at.as_secs_f64() * 1000.0).round() / 1000.0
}

/// The agent that a recording says it is of: by its command, else by the first words of its title.
fn recorded<'a>(agents: &'a Agents, header: &CastHeader) -> (&'a Agent, Option<Version>) {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let by_command = header.command.as_deref().and_then(|command| agents.of_command(&words(command)));
    let title = header.title.as_deref().unwrap_or_default();
    let agent = by_command.or_else(|| agents.of_title(title)).unwrap_or_else(|| agents.generic());
    (agent, title.parse().ok().filter(|_| by_command.is_none()))
}

fn read_hooks(path: &Path) -> Result<Vec<(Duration, Value)>, Failure> {
    let mut hooks = Vec::new();
    for (index, line) in BufReader::new(open(path)?).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read `{}`", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let read = serde_json::from_str::<(f64, Value)>(&line);
        let (seconds, event) = read.map_err(|error| {
            let error = anyhow::Error::from(error);
            let place = format!("line {} of `{}` is no event", index + 1, path.display());
            Failure::from(error.context(place)).hint("each line is `[seconds, {\"hook_event_name\": …}]`")
        })?;
        hooks.push((Duration::try_from_secs_f64(seconds).unwrap_or_default(), event));
    }
    Ok(hooks)
}

fn open(path: &Path) -> Result<File, Failure> {
    let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()));
    file.map_err(|error| Failure::from(error).hint("name a file that exists and that you can read"))
}
