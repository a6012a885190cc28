//! What a host tells about itself.

use jiff::Timestamp;
use model::{Epoch, ExitStatus, Offset, SizePolicy, TermSize, WorkerId, WorkerName};
use serde::{Deserialize, Serialize};

use crate::signal::{SignalMessage, StatusMessage, activity};

/// Tells a host's viewers apart; never used twice by one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ViewerId(pub u64);

/// What became of a worker's child, as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ChildState {
    /// The child runs.
    Live,
    /// A viewer or a signal asked the host to end the worker, and the child has not ended yet.
    Ending,
    /// The child has ended.
    Exited {
        /// How.
        status: ExitStatus,
        /// When.
        at: Timestamp,
    },
}

/// One viewer of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewerReport {
    /// Which one.
    pub id: ViewerId,
    /// The name that the viewer chose. Make it safe before you show it.
    pub name: String,
    /// Whether it only watches.
    pub read_only: bool,
    /// How large its screen is, if it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<TermSize>,
    /// Whether the worker's terminal has its size.
    pub owns_size: bool,
    /// When it attached.
    pub since: Timestamp,
    /// Bytes it has not been sent yet.
    pub behind_bytes: u64,
    /// How often it was too slow and got the screen anew.
    pub resyncs: u64,
}

/// What the program said about itself through its terminal. Output chose the texts: make them safe before showing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProgramReport {
    /// The window's title.
    pub title: String,
    /// The working directory, as a URL or a path.
    pub cwd: String,
    /// Whether it shows a screen of its own.
    pub alternate_screen: bool,
    /// Its newest status (OSC 7501) as a whole, if it has one.
    #[serde(with = "activity")]
    pub activity: Option<StatusMessage>,
    /// What else it said that still holds: the newest status of each of its parts, its progress, the newest mark of its
    /// prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalMessage>,
}

/// The text of a screen. Output chose it: make it safe before showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowsReport {
    /// After so many bytes of output.
    pub offset: Offset,
    /// How large the terminal is.
    pub size: TermSize,
    /// The text of each row, from the top. A column that was never written is a space, and what follows the text is
    /// blank. Of a screen with very much text the upper rows are empty.
    pub rows: Vec<String>,
    /// Where the cursor stands.
    pub cursor: CursorReport,
    /// Whether the program shows a screen of its own.
    pub alternate_screen: bool,
    /// For how long the program has printed nothing.
    pub quiet_ms: u64,
}

/// The cursor on a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorReport {
    /// Its row, from zero.
    pub row: u16,
    /// Its column, from zero.
    pub col: u16,
    /// Whether it is shown.
    pub shown: bool,
}

/// How the recording is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordingReport {
    /// Output up to here is in the files.
    pub recorded: Offset,
    /// How many stretches of output are missing in it.
    pub gaps: u64,
    /// The problem that it has now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// All about a worker that only its host knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// The language it speaks.
    pub version: u32,
    /// The release it is.
    pub release: String,
    /// Which worker.
    pub worker: WorkerId,
    /// What the worker is called.
    pub name: WorkerName,
    /// The host's process.
    pub host_pid: u32,
    /// The child's process.
    pub child_pid: u32,
    /// Which incarnation of the host.
    pub epoch: Epoch,
    /// How much the child has printed.
    pub offset: Offset,
    /// How large its terminal is.
    pub size: TermSize,
    /// Who decides on that.
    pub size_policy: SizePolicy,
    /// Where it is in its life.
    pub state: ChildState,
    /// When the child was started.
    pub started_at: Timestamp,
    /// When it last printed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_at: Option<Timestamp>,
    /// Whether another process holds its lease, so that the child would survive the host.
    pub leased: bool,
    /// How often the terminal model failed and was rebuilt.
    pub model_failures: u64,
    /// Whether it answers a question for the rows.
    #[serde(default)]
    pub answers_rows: bool,
    /// What the program said about itself.
    pub program: ProgramReport,
    /// Who watches.
    pub viewers: Vec<ViewerReport>,
    /// How the recording is doing.
    pub recording: RecordingReport,
}
