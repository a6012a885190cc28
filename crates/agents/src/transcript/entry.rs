//! What a transcript consists of.

use jiff::Timestamp;

/// The most bytes of one text that are kept. More than is ever shown, so that a secret at the cut is not shown in half.
pub(super) const MOST_TEXT_BYTES: usize = 128 << 10;

/// One thing in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Stands for it. A later entry with the same id takes its place.
    pub id: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// What.
    pub content: Content,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// What the person wrote. It begins a turn.
    Prompt(Words),
    /// What the agent answered.
    Answer(Words),
    /// What the agent thought before that.
    Thinking(Words),
    /// The agent uses a tool.
    Call {
        /// Its result names this too.
        call: String,
        /// The name of the tool.
        tool: String,
        /// What it is given; what matters most is in the first line.
        input: Words,
    },
    /// What a tool gave back.
    Result {
        /// The call.
        call: String,
        /// What it gave.
        output: Words,
        /// Whether the agent says that it failed, or that it was refused.
        failed: bool,
    },
    /// Something failed: a request to the model, or the whole turn.
    Error(Words),
    /// A limit on the use of the agent was reached.
    Limit(Words),
    /// Something else that happened: an interruption, a conversation that was shortened.
    Note(Words),
    /// What a request to the model has used.
    Usage(Usage),
    /// What the whole conversation has cost so far, in US dollars, as the agent says.
    CostSoFar(f64),
    /// A record that is too long to be read.
    TooLong {
        /// How long it is.
        bytes: u64,
    },
}

/// A text of a conversation. It may have many lines, and anything in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The text, from its beginning.
    pub text: String,
    /// Whether there is more of it in the file.
    pub is_cut: bool,
}

impl Words {
    pub(super) fn new(text: &str) -> Words {
        let text = text.trim_end();
        if text.len() <= MOST_TEXT_BYTES {
            return Words { text: text.to_owned(), is_cut: false };
        }
        let end = (0..=MOST_TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        Words { text: text[..end].to_owned(), is_cut: true }
    }
}

/// What one request to a model has used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// The model.
    pub model: Option<String>,
    /// The tokens.
    pub tokens: Tokens,
    /// What it cost in US dollars, if the file says so.
    pub cost_usd: Option<f64>,
    /// How full the model's context is, if that is known.
    pub context: Option<Context>,
    /// The limits on the use of the account, as far as the file has them.
    pub limits: Vec<RateLimit>,
}

/// Tokens, by what is paid for them. None is counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read by the model and not from a cache.
    pub input: u64,
    /// Written by the model, with what it thought.
    pub output: u64,
    /// The part of the output that it thought.
    pub thinking: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written into a cache.
    pub cache_write: u64,
}

impl Tokens {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Tokens::default()
    }
}

/// How full a context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The tokens in it after the newest request.
    pub used: u64,
    /// How many it can hold, if the file says so.
    pub window: Option<u64>,
}

/// A limit on the use of an account.
#[derive(Clone, Debug, PartialEq)]
pub struct RateLimit {
    /// What the agent calls it.
    pub name: String,
    /// How much of it is used, in per cent.
    pub used_percent: f64,
    /// For how long it counts.
    pub window_minutes: Option<u64>,
    /// When it begins anew.
    pub resets_at: Option<Timestamp>,
}
