//! The conversations of agents as their programs keep them, and what they have used.

use std::collections::{BTreeMap, HashMap};
use std::io;

use agents::{AgentId, Content, Entry, Sum, Words};
use api::{
    ErrorCode, Problem, RequestUsage, Transcript, TranscriptContent, TranscriptEntry, TranscriptText,
    UnknownUsage, UsageBy, UsageReport, UsageRow, UsageSum, UsedContext, UsedLimit, UsedTokens,
};
use jiff::Timestamp;
use model::{TaskId, WorkerId};
use store::{SessionFilter, TaskFilter, Worker, WorkerKind};

use crate::app::blocking;
use crate::node::{Exit, TranscriptPage, TranscriptSource, Used};
use crate::rooms::Workers;

/// Why a worker has no transcript that can be read.
enum NoTranscript {
    NoAgent,
    UnknownForm(String),
    UnknownConversation(String),
    NoFile(String),
    Unreadable(io::Error),
}

impl NoTranscript {
    fn words(&self) -> String {
        match self {
            NoTranscript::NoAgent => "the worker runs no agent that abide knows".to_owned(),
            NoTranscript::UnknownForm(name) => format!("abide cannot read the transcripts of {name}"),
            NoTranscript::UnknownConversation(name) => {
                format!("it is not known which conversation is {name}'s own")
            }
            NoTranscript::NoFile(name) => {
                format!("{name} has not written down its conversation yet, or its file is gone")
            }
            NoTranscript::Unreadable(error) => {
                format!("the transcript cannot be read: {}", model::display_safe(&error.to_string()))
            }
        }
    }

    fn problem(&self) -> Problem {
        let code = match self {
            NoTranscript::Unreadable(_) => ErrorCode::Unavailable,
            _ => ErrorCode::WrongState,
        };
        let problem = Problem::new(code, self.words());
        match self {
            NoTranscript::UnknownConversation(_) | NoTranscript::NoFile(_) => {
                problem.hint("agents write it from the first prompt on")
            }
            _ => problem,
        }
    }
}

/// The place in a transcript up to which a client has it.
pub(crate) struct Reached {
    conversation: String,
    offset: u64,
}

impl Reached {
    /// From the `next` of a page.
    pub(crate) fn parse(next: &str) -> Option<Reached> {
        let (offset, conversation) = next.split_once('.')?;
        Some(Reached { conversation: conversation.to_owned(), offset: offset.parse().ok()? })
    }
}

impl Workers {
    /// Where the transcript of a worker's agent is.
    pub(crate) async fn transcript_source(&self, id: WorkerId) -> Result<TranscriptSource, Problem> {
        let worker = self.read(move |store| store.worker(id)).await?;
        self.source_of(&worker).await?.map_err(|why| why.problem())
    }

    async fn source_of(&self, worker: &Worker) -> Result<Result<TranscriptSource, NoTranscript>, Problem> {
        let live = self.lives().get(worker.id);
        let runs = live.as_ref().and_then(|live| live.runs_agent.as_deref());
        let agent = match &worker.kind {
            WorkerKind::Agent { agent } => self.agent(agent).ok(),
            WorkerKind::Terminal => runs
                .and_then(|agent| self.agent(agent).ok())
                .or_else(|| self.agents().of_command(&worker.command)),
        };
        let Some(agent) = agent.filter(|agent| agent.id != AgentId::shell()) else {
            return Ok(Err(NoTranscript::NoAgent));
        };
        let name = || agent.name.clone();
        let Some(form) = agent.transcript else { return Ok(Err(NoTranscript::UnknownForm(name()))) };
        let mut noted = self.node().noted_conversation(worker.id).await?;
        let in_command = || agent.conversation_in(&worker.command);
        if noted.is_none() && in_command().is_none() {
            self.note_conversation(worker.id).await;
            noted = self.node().noted_conversation(worker.id).await?;
        }
        let Some(conversation) = noted.map(|noted| noted.id).or_else(in_command) else {
            return Ok(Err(NoTranscript::UnknownConversation(name())));
        };
        if !agents::is_conversation_id(&conversation) {
            return Ok(Err(NoTranscript::UnknownConversation(name())));
        }
        let child = live.and_then(|live| live.child);
        Ok(Ok(TranscriptSource { agent: agent.clone(), form, conversation, child }))
    }

    /// What the agents used, as their transcripts say. A conversation that several workers had one after the other counts
    /// for the last one.
    pub(crate) async fn usage(&self, by: UsageBy) -> Result<UsageReport, Problem> {
        let (sessions, tasks) = self
            .read(|store| {
                Ok((store.sessions_with_workers(SessionFilter::All)?, store.tasks(TaskFilter::default())?))
            })
            .await?;
        let titles: HashMap<TaskId, String> = tasks.into_iter().map(|task| (task.id, task.title)).collect();
        let mut latest: HashMap<(String, String), Candidate> = HashMap::new();
        let mut unknown = Vec::new();
        for found in sessions {
            for worker in found.workers {
                match self.source_of(&worker).await? {
                    Ok(source) => {
                        let key = (source.agent.id.to_string(), source.conversation.clone());
                        let candidate = Candidate { source, task: found.session.task, worker };
                        match latest.get(&key) {
                            Some(there) if there.worker.created_at > candidate.worker.created_at => {}
                            _ => drop(latest.insert(key, candidate)),
                        }
                    }
                    // A plain terminal uses nothing.
                    Err(NoTranscript::NoAgent) => {}
                    Err(why) => unknown.push(unknown_usage(&worker, &why)),
                }
            }
        }
        let candidates: Vec<Candidate> = latest.into_values().collect();
        let sources: Vec<TranscriptSource> =
            candidates.iter().map(|candidate| candidate.source.clone()).collect();
        let node = self.node().clone();
        let used = blocking(move || node.used(&sources)).await?;
        let mut rows = Rows { by, titles, rows: BTreeMap::new(), total: Sum::default() };
        for (candidate, used) in candidates.iter().zip(used) {
            match used {
                Ok(Some(used)) => rows.add(candidate, &used),
                Ok(None) => {
                    let why = NoTranscript::NoFile(candidate.source.agent.name.clone());
                    unknown.push(unknown_usage(&candidate.worker, &why));
                }
                Err(error) => {
                    unknown.push(unknown_usage(&candidate.worker, &NoTranscript::Unreadable(error)));
                }
            }
        }
        unknown.sort_by(|one: &UnknownUsage, other| one.name.cmp(&other.name));
        let exit = self.node().exit();
        Ok(UsageReport { by, total: sum_view(&rows.total, &exit), rows: rows.views(&exit), unknown })
    }
}

/// A worker whose conversation is counted.
struct Candidate {
    source: TranscriptSource,
    worker: Worker,
    task: Option<TaskId>,
}

fn unknown_usage(worker: &Worker, why: &NoTranscript) -> UnknownUsage {
    UnknownUsage { worker_id: worker.id, name: model::display_safe(&worker.name), why: why.words() }
}

/// The rows of a report as they grow.
struct Rows {
    by: UsageBy,
    titles: HashMap<TaskId, String>,
    rows: BTreeMap<Option<String>, Row>,
    total: Sum,
}

#[derive(Default)]
struct Row {
    name: String,
    sum: Sum,
    context: Option<agents::Context>,
    limits: Vec<agents::RateLimit>,
    last_at: Option<Timestamp>,
}

impl Rows {
    fn add(&mut self, candidate: &Candidate, used: &Used) {
        for (day, sum) in &used.days {
            self.total += sum;
            let (key, name) = match self.by {
                UsageBy::Worker => (Some(candidate.worker.id.to_string()), candidate.worker.name.clone()),
                UsageBy::Agent => {
                    (Some(candidate.source.agent.id.to_string()), candidate.source.agent.name.clone())
                }
                UsageBy::Task => match candidate.task {
                    Some(task) => {
                        (Some(task.to_string()), self.titles.get(&task).cloned().unwrap_or_default())
                    }
                    None => (None, "without a task".to_owned()),
                },
                UsageBy::Day => match day {
                    Some(day) => (Some(day.to_string()), day.to_string()),
                    None => (None, "on an unknown day".to_owned()),
                },
            };
            let row = self.rows.entry(key).or_default();
            row.name = model::display_safe(&name);
            row.sum += sum;
            if self.by == UsageBy::Day {
                continue;
            }
            if self.by == UsageBy::Worker {
                row.context = used.context;
            }
            if used.last_at >= row.last_at {
                row.last_at = used.last_at;
                if self.by != UsageBy::Task && !used.limits.is_empty() {
                    row.limits.clone_from(&used.limits);
                }
            }
        }
    }

    /// Days in their order; of all others, the one that was used last is first.
    fn views(self, exit: &Exit) -> Vec<UsageRow> {
        let view = |(key, row): (Option<String>, Row)| UsageRow {
            key,
            name: row.name,
            sum: sum_view(&row.sum, exit),
            context: row.context.map(context_view),
            limits: row.limits.iter().map(|limit| limit_view(limit, exit)).collect(),
            last_at: row.last_at,
        };
        let mut rows: Vec<UsageRow> = self.rows.into_iter().map(view).collect();
        if self.by != UsageBy::Day {
            rows.sort_by_key(|row| std::cmp::Reverse(row.last_at));
        }
        rows
    }
}

/// A page as it is shown.
pub(crate) fn transcript_view(source: &TranscriptSource, page: &TranscriptPage, exit: &Exit) -> Transcript {
    Transcript {
        agent_id: source.agent.id.to_string(),
        conversation_id: source.conversation.clone(),
        entries: page.entries.iter().map(|entry| entry_view(entry, exit)).collect(),
        next: format!("{}.{}", page.next, source.conversation),
        complete: page.is_complete,
        from_start: page.is_from_start,
    }
}

/// A page that was looked for.
pub(crate) fn found(
    source: &TranscriptSource,
    page: io::Result<Option<TranscriptPage>>,
) -> Result<TranscriptPage, Problem> {
    match page {
        Ok(Some(page)) => Ok(page),
        Ok(None) => Err(NoTranscript::NoFile(source.agent.name.clone()).problem()),
        Err(error) => Err(NoTranscript::Unreadable(error).problem()),
    }
}

/// Where to read on: what was reached in another conversation is none of this one.
pub(crate) fn offset_in(source: &TranscriptSource, reached: Option<Reached>) -> u64 {
    reached.filter(|reached| reached.conversation == source.conversation).map_or(0, |reached| reached.offset)
}

fn entry_view(entry: &Entry, exit: &Exit) -> TranscriptEntry {
    let text = |words: &Words| {
        let text = exit.show_lines(&words.text);
        TranscriptText { cut: words.is_cut || text.is_cut(), text }
    };
    let content = match &entry.content {
        Content::Prompt(words) => TranscriptContent::Prompt(text(words)),
        Content::Answer(words) => TranscriptContent::Answer(text(words)),
        Content::Thinking(words) => TranscriptContent::Thinking(text(words)),
        Content::Call { call, tool, input } => {
            TranscriptContent::Call { call_id: exit.show(call), tool: exit.show(tool), input: text(input) }
        }
        Content::Result { call, output, failed } => {
            TranscriptContent::Result { call_id: exit.show(call), failed: *failed, output: text(output) }
        }
        Content::Error(words) => TranscriptContent::Error(text(words)),
        Content::Limit(words) => TranscriptContent::Limit(text(words)),
        Content::Note(words) => TranscriptContent::Note(text(words)),
        Content::Usage(usage) => TranscriptContent::Usage(RequestUsage {
            model: usage.model.as_deref().map(|model| exit.show(model)),
            tokens: tokens_view(&usage.tokens),
            cost_usd: usage.cost_usd,
            context: usage.context.map(context_view),
        }),
        Content::CostSoFar(cost_usd) => TranscriptContent::CostSoFar { cost_usd: *cost_usd },
        Content::TooLong { bytes } => TranscriptContent::TooLong { bytes: *bytes },
    };
    TranscriptEntry { id: entry.id.as_deref().map(|id| exit.show(id)), at: entry.at, content }
}

fn tokens_view(tokens: &agents::Tokens) -> UsedTokens {
    UsedTokens {
        input: tokens.input,
        output: tokens.output,
        thinking: tokens.thinking,
        cache_read: tokens.cache_read,
        cache_write: tokens.cache_write,
    }
}

fn context_view(context: agents::Context) -> UsedContext {
    let left = context.window.map(|window| window.saturating_sub(context.used));
    UsedContext { used: context.used, window: context.window, left }
}

fn limit_view(limit: &agents::RateLimit, exit: &Exit) -> UsedLimit {
    UsedLimit {
        name: exit.show(&limit.name),
        used_percent: limit.used_percent,
        window_minutes: limit.window_minutes,
        resets_at: limit.resets_at,
    }
}

fn sum_view(sum: &Sum, exit: &Exit) -> UsageSum {
    UsageSum {
        turns: sum.turns,
        requests: sum.requests,
        tokens: tokens_view(&sum.tokens),
        cost_usd: sum.cost_usd,
        unpriced: sum.unpriced,
        models: sum.models.iter().map(|model| exit.show(model)).collect(),
    }
}
