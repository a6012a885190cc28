//! Our words as types: data and pure functions that every other crate shares.
//!
//! Nothing here opens a file, reads a clock or knows another crate of ours.

mod display_safe;
mod exit_status;
mod mask_policy;
mod offset;
mod size_policy;
mod term_size;
mod worker_id;
mod worker_name;

pub use display_safe::display_safe;
pub use exit_status::ExitStatus;
pub use mask_policy::{MaskPolicy, ParseMaskPolicyError};
pub use offset::{Epoch, Offset};
pub use size_policy::{ParseSizePolicyError, SizePolicy};
pub use term_size::{ParseTermSizeError, TermSize};
pub use worker_id::{ParseWorkerIdError, WorkerId};
pub use worker_name::{ParseWorkerNameError, WorkerName};
