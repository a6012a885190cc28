//! Each known agent: how it is started and continued, and what it is doing.
//!
//! [`Agents`] are definitions as data: those in `builtin.toml`, and the user's own in the same form. A definition turns
//! a prompt into arguments for a program; no shell sees it, and it is not typed into a terminal.
//!
//! A [`Tracker`] follows one worker and knows its activity from what the program says through its terminal. Nothing
//! here opens a file, reads a clock, looks at the environment or starts anything: texts and signals are handed in.

mod agent;
mod agent_id;
mod asking;
mod error;
mod evidence;
mod file;
mod known;
mod program_records;
mod prompt_arguments;
mod tracker;

pub use agent::Agent;
pub use agent_id::{AgentId, ParseAgentIdError};
pub use asking::{AskedFor, Asking};
pub use error::AgentsError;
pub use evidence::Evidence;
pub use known::Agents;
pub use prompt_arguments::{MOST_PROMPT_BYTES, PromptArguments};
pub use tracker::Tracker;
