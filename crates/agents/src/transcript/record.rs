//! What the readers of all forms share: the fields of a record, and the entries that it makes.

use jiff::Timestamp;
use serde_json::Value;

use super::entry::{Content, Entry, RateLimit, Usage, Words};
use super::words::{is_limit, plain};

/// The entries that a record makes.
pub(super) struct Made<'a> {
    at: Option<Timestamp>,
    entries: &'a mut Vec<Entry>,
}

impl<'a> Made<'a> {
    /// The time is the record's own.
    pub(super) fn of(record: &Value, entries: &'a mut Vec<Entry>) -> Made<'a> {
        Made { at: time(record.get("timestamp")), entries }
    }

    pub(super) fn add(&mut self, content: Content) {
        self.entries.push(Entry { id: None, at: self.at, content });
    }

    /// Adds an entry that a later one may replace.
    pub(super) fn put(&mut self, id: &str, content: Content) {
        self.entries.push(Entry { id: Some(id.to_owned()), at: self.at, content });
    }

    /// Adds a text, if there is any.
    pub(super) fn say(&mut self, content: fn(Words) -> Content, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.add(content(plain(text)));
        }
    }

    /// Adds an error, or the limit that it speaks of.
    pub(super) fn fail(&mut self, text: Option<&str>) {
        let is_limit = text.is_some_and(is_limit);
        self.say(if is_limit { Content::Limit } else { Content::Error }, text);
    }

    /// Adds what a request has used.
    pub(super) fn used(&mut self, id: Option<&str>, usage: Usage) {
        if usage.tokens.is_none() && usage.limits.is_empty() {
            return;
        }
        self.entries.push(Entry { id: id.map(str::to_owned), at: self.at, content: Content::Usage(usage) });
    }
}

/// A text in a record.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A text in a record; an empty one if it is not there.
pub(super) fn owned(value: &Value, key: &str) -> String {
    text(value, key).unwrap_or_default().to_owned()
}

/// A count in a record; none if it is not there.
pub(super) fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The list at a key.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A time, in words or as seconds.
pub(super) fn time(value: Option<&Value>) -> Option<Timestamp> {
    match value? {
        Value::String(text) => text.parse().ok(),
        Value::Number(seconds) => Timestamp::from_second(seconds.as_i64()?).ok(),
        _ => None,
    }
}

/// A limit on the use of an account, as Codex writes it.
pub(super) fn rate_limit(name: &str, value: Option<&Value>, at: Option<Timestamp>) -> Option<RateLimit> {
    let value = value?;
    let used_percent = value.get("used_percent")?.as_f64().filter(|used| used.is_finite())?;
    let in_seconds = value.get("resets_in_seconds").and_then(Value::as_i64);
    let resets_at = time(value.get("resets_at"))
        .or_else(|| at?.checked_add(jiff::SignedDuration::from_secs(in_seconds?)).ok());
    let window_minutes = value.get("window_minutes").and_then(Value::as_u64);
    Some(RateLimit { name: name.to_owned(), used_percent, window_minutes, resets_at })
}
