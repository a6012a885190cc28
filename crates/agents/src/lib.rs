//! Each known agent: how it is started and continued, and what it is doing.
//!
//! [`Agents`] are definitions as data: those in `definitions/`, and the user's own in the same form. A definition turns
//! a prompt into arguments for a program; no shell sees it, and it is not typed into a terminal.
//!
//! A [`Detector`] follows one worker and knows what it is doing, from ranked evidence: what the program says of itself,
//! what its hooks tell, its title, its notifications, and what its screen shows. A [`Replay`] is a detector with a
//! terminal, for recordings. A [`LiveDetector`] is a detector for a worker that runs: it says when its host should be asked
//! for the screen.
//!
//! A [`TranscriptReader`] reads the file in which an agent keeps its conversation.
//!
//! Nothing here opens a file, reads a clock, looks at the environment or starts anything: texts, signals, screens and
//! times are handed in.

mod agent;
mod agent_id;
mod asking;
mod conversation;
mod detector;
mod error;
mod evidence;
mod file;
mod heard;
mod hook;
mod hooks;
mod known;
mod program_records;
mod prompt_arguments;
mod prompt_keys;
mod question;
mod replay;
mod reply;
mod rule;
mod screen;
mod title;
mod tracker;
mod transcript;
mod turn;
mod version;

pub use agent::{Agent, Answer, Draws};
pub use agent_id::{AgentId, ParseAgentIdError};
pub use asking::{AskedFor, Asking};
pub use conversation::{ConversationSigns, is_conversation_id};
pub use detector::{Detector, KnownBy, LiveDetector, Said, State};
pub use error::AgentsError;
pub use evidence::Evidence;
pub use heard::{Heard, Mark};
pub use hooks::{Hooks, hook_answer, is_asked_by};
pub use known::Agents;
pub use prompt_arguments::{MOST_PROMPT_BYTES, PromptArguments};
pub use prompt_keys::{PromptKeys, Typed};
pub use question::{Form, Question};
pub use replay::{Change, Replay};
pub use reply::{Reply, ReplyStep, Unanswerable};
pub use rule::{Meaning, Pattern, Place, PromptMarks, Rule, Signs};
pub use screen::{ScreenRows, question_on};
pub use title::{shown_title, still_title};
pub use tracker::Tracker;
pub use transcript::{
    Account, Content, Context, Entry, RateLimit, Sum, Tokens, TranscriptForm, TranscriptReader, Usage, Words,
};
pub use turn::{Turn, TurnEnd};
pub use version::{ParseVersionError, Version, VersionRange};
