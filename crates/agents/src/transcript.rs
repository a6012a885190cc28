//! The transcript of an agent: the file in which its program keeps a conversation, read as prompts, answers, tool calls
//! and usage.
//!
//! A [`TranscriptReader`] is fed the bytes of the file and gives [`Entry`]s. It holds one line at a time, whatever the
//! file holds; what it does not know it leaves out. [`Account`] sums up what a conversation has used.

mod account;
mod claude;
mod codex;
mod copilot;
mod entry;
mod form;
mod gemini;
mod lines;
mod pi;
mod qwen;
mod reader;
mod record;
mod words;

pub use account::{Account, Sum};
pub use entry::{Content, Context, Entry, RateLimit, Tokens, Usage, Words};
pub use form::TranscriptForm;
pub use reader::TranscriptReader;
