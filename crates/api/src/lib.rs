//! What HTTP and WebSocket carry: requests, replies, events, error codes.
//!
//! JSON is in camelCase, times are RFC 3339 in UTC. The types here are what `openapi.json` describes; they carry at
//! most the ids and enums of `model`.

mod access;
mod activity;
mod events;
mod health;
mod inbox;
mod problem;
mod prompts;
mod proofs;
mod recordings;
mod repositories;
mod sessions;
mod sockets;
mod tasks;
mod transcripts;

pub use access::{AuditEntry, Code, CreateToken, ExchangeCode, NewToken, Scope, Token};
pub use activity::{Explanation, Question, SaidBy, Turn, TurnEnd};
pub use events::{DashboardClientMessage, DashboardEvent, DashboardMessage};
pub use health::{Health, HealthStatus};
pub use inbox::{Answer, InboxItem, Snooze};
pub use model::{Activity, CommandPart, InboxReason, SessionStatus, TaskState};
pub use problem::{ErrorCode, Problem, ProblemBody};
pub use prompts::{EditPrompt, Prompt, PromptState, PromptWaitsFor, SendPrompt, SendPrompts, SentPrompt};
pub use proofs::{
    HelloAnswer, HelloRequest, OpenBond, OpenedBond, ProofMessage, RegisterDevice, RegisteredDevice,
};
pub use recordings::{
    ImportReply, RecordedLine, RecordedLines, RecordedScreen, RecordingGap, RecordingInfo, RecordingMark,
    RecordingMarks, SearchHit, SearchReply, SkippedSession, Upload,
};
pub use repositories::{
    AddRepository, Agree, CreateWorktree, Provisioning, RemovedWorktree, Repository, RunsWhen, SeenCommand,
    Worktree, WorktreeState,
};
pub use sessions::{
    Agent, CreateSession, CreateWorker, PtyStat, Restart, Session, SessionActivity, SessionKind,
    SessionReply, UpdateSession, UpdateWorker, Worker, WorkerKind, WorkerReply, WorkerState,
};
pub use sockets::{
    ClosedReason, TerminalsClientMessage, TerminalsServerMessage, WorkerClientMessage, WorkerServerMessage,
};
pub use tasks::{ArchivedTask, CreateTask, KeptWorktree, LogExit, Resize, SessionLog, Task, UpdateTask};
pub use transcripts::{
    RequestUsage, Transcript, TranscriptContent, TranscriptEntry, TranscriptText, UnknownUsage, UsageBy,
    UsageReport, UsageRow, UsageSum, UsedContext, UsedLimit, UsedTokens,
};
