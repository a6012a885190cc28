//! Our words as types: data and pure functions that every other crate shares.
//!
//! Nothing here opens a file, reads a clock or knows another crate of ours.

mod activity;
mod as_seen;
mod display_safe;
mod exit_status;
mod ids;
mod inbox_reason;
mod mask_policy;
mod offset;
mod shown_text;
mod sight;
mod size_policy;
mod task_state;
mod term_size;
mod worker_life;
mod worker_name;

pub use activity::Activity;
pub use as_seen::{CommandPart, MOST_BLANKS, Unseen, as_seen, command_of};
pub use display_safe::{display_safe, display_safe_lines, display_safe_unmasked};
pub use exit_status::ExitStatus;
pub use ids::{
    InboxItemId, OwnerId, ParseIdError, PromptId, RepositoryId, SessionId, SessionLogId, TaskId, TokenId,
    WorkerId, WorktreeId,
};
pub use inbox_reason::InboxReason;
pub use mask_policy::{MaskPolicy, ParseMaskPolicyError};
pub use offset::{Epoch, Offset};
pub use shown_text::{ShownLines, ShownText};
pub use size_policy::{ParseSizePolicyError, SizePolicy};
pub use task_state::{TaskState, WrongTaskState};
pub use term_size::{ParseTermSizeError, TermSize};
pub use worker_life::{SessionStatus, WorkerLife};
pub use worker_name::{ParseWorkerNameError, WorkerName};
