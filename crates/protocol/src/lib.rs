//! The language of a host's socket: bytes in, messages out, no sockets.
//!
//! A connection carries *frames* ([`Decoder`]), a frame carries a message: [`HostMessage`] from the host,
//! [`ViewerMessage`] to it. `docs/protocol.md` describes both, so that another program can speak it.

mod frame;
mod host_message;
mod report;
mod signal;
mod viewer_message;

pub use frame::{Decoder, Frame, FrameError, HEADER_BYTES, MAX_PAYLOAD_BYTES};
pub use host_message::{
    Exited, HostMessage, Leased, Refusal, Refused, Resized, Viewers, Welcome, kind as host_kind,
    output_header,
};
pub use report::{
    ChildState, CursorReport, ProgramReport, RecordingReport, RowsReport, StatusReport, ViewerId,
    ViewerReport,
};
pub use signal::{BlockedKind, ProgressMessage, PromptMessage, SignalMessage, StatusMessage, StatusState};
pub use viewer_message::{Attach, Form, Upgrade, ViewerMessage, Withdraw};

/// The version of the language that this program speaks. It grows when an old peer would misunderstand a new one;
/// new frames and new fields alone do not change it.
pub const VERSION: u32 = 1;

/// The oldest version that this program still understands.
pub const OLDEST_VERSION: u32 = 1;

/// Why a frame holds no message.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// A frame of fixed shape has another length.
    #[error("a frame of type {kind:#04x} with {length} bytes is too short")]
    Short {
        /// The frame's type.
        kind: u8,
        /// The bytes it has.
        length: usize,
    },
    /// A frame's payload is not JSON, or not the JSON of its type.
    #[error("a frame of type {kind:#04x} does not hold a valid message: {source}")]
    Json {
        /// The frame's type.
        kind: u8,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}
