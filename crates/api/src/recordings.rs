//! The recordings of workers.

use jiff::Timestamp;
use model::WorkerId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What there is of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordingInfo {
    /// The first byte that is still there.
    pub first_offset: u64,
    /// How much output had come at the end of it.
    pub end_offset: u64,
    /// When the first segment that is still there began.
    #[schema(value_type = String, format = DateTime)]
    pub first_at: Timestamp,
    /// When the last thing in it happened.
    #[schema(value_type = String, format = DateTime)]
    pub last_at: Timestamp,
    /// How many segments it has.
    pub segments: usize,
    /// What all of that takes.
    pub bytes_on_disk: u64,
    /// Columns at the end.
    pub cols: u16,
    /// Rows at the end.
    pub rows: u16,
    /// What is missing, oldest first; at most a thousand of all.
    pub gaps: Vec<RecordingGap>,
    /// How many gaps there are.
    pub gap_count: u64,
}

/// Output that a recording has not got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordingGap {
    /// The offset of the first byte that is missing.
    pub from: u64,
    /// The offset of the first byte that is not, if anybody knows.
    pub to: Option<u64>,
}

/// A line that was printed, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordedLine {
    /// Its text.
    pub text: String,
    /// Where it was whole and settled: within a kilobyte after its last byte.
    pub offset: u64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// Some lines, in the order in which they were printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordedLines {
    /// The lines.
    pub lines: Vec<RecordedLine>,
    /// What to ask for as `after` to have more, if there may be.
    pub next: Option<String>,
}

/// Something to find one's way by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordingMark {
    /// Where.
    pub offset: u64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What, in a word: `command`, `exit`, `resize` and so on.
    pub kind: String,
    /// More about it.
    pub text: Option<String>,
}

/// Some marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordingMarks {
    /// The marks.
    pub marks: Vec<RecordingMark>,
    /// What to ask for as `after` to have more, if there may be.
    pub next: Option<String>,
}

/// A screen as it was, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedScreen {
    /// How much output had come.
    pub offset: u64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Columns of the terminal.
    pub cols: u16,
    /// Rows of the terminal.
    pub rows: u16,
    /// The rows as plain text.
    pub text: Vec<String>,
    /// What redraws it in an emulator, in base64: it begins with a reset.
    pub snapshot: String,
    /// Whether output is missing before it, so that it may be wrong.
    pub doubtful: bool,
}

/// A line that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Who printed it.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// Where it was whole and settled: within a kilobyte after its last byte.
    pub offset: u64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Its text.
    pub line: String,
    /// Where in it the pattern is, each as two numbers of bytes.
    pub matches: Vec<[usize; 2]>,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// The hits of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchReply {
    /// The hits, newest first.
    pub hits: Vec<SearchHit>,
    /// What to ask for as `before` to have older ones, if there are any.
    pub next: Option<String>,
    /// Whether everything was searched that had to be.
    pub complete: bool,
    /// Whose recordings could not be read, or not all of them.
    #[schema(value_type = Vec<String>)]
    pub damaged: Vec<WorkerId>,
}

/// A file that was kept for a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Upload {
    /// Where it is.
    pub path: String,
}

/// What came of an import of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportReply {
    /// The sessions that are new.
    #[schema(value_type = Vec<String>)]
    pub imported: Vec<model::SessionId>,
    /// Those that were left out, and why.
    pub skipped: Vec<SkippedSession>,
}

/// A session that was not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedSession {
    /// What it was called there.
    pub id: String,
    /// Why.
    pub reason: String,
}
