//! A question that an agent asks, with its choices.

use std::sync::LazyLock;

use model::display_safe_unmasked;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::asking::{AskedFor, Asking};

/// So many choices are kept, and so many lines of detail.
const MOST_PARTS: usize = 20;

/// What a program asks, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What kind of answer it needs.
    pub kind: Option<AskedFor>,
    /// Its words, safe to show; not masked.
    pub text: Option<String>,
    /// What it is about, a line each: the command to run, the file to change. Safe to show; not masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<String>,
    /// The answers to choose from. Safe to show; not masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The choice on which the selection stands, from zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// How the screen offers the choices; nothing if the screen was not seen.
    #[serde(skip)]
    pub form: Option<Form>,
}

/// How a screen offers the answers to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list of choices with numbers.
    Numbered,
    /// A list of choices without numbers.
    Plain,
    /// Choices side by side.
    Buttons,
    /// The last line of the screen, behind which an answer is typed.
    Line,
}

/// Words by which the kind of a dialog is known, in the order in which they decide.
static KINDS: LazyLock<Vec<(AskedFor, Regex)>> = LazyLock::new(|| {
    let regex = |text| Regex::new(text).expect("a constant that tests use");
    vec![
        (
            AskedFor::Trust,
            regex(
                r"(?i)\b(do you|is this|you)\b[^?]{0,60}\btrust|\btrust\b[^?]{0,40}\b(folder|director|workspace|files|project|authors)|folder trust",
            ),
        ),
        (AskedFor::ApiKey, regex(r"(?i)\bapi[ -]?key\b")),
        (
            AskedFor::Limit,
            regex(
                r"(?i)\b(usage|rate|quota|session|weekly|daily|request|plan|token) limit\b|\blimit (was )?reached\b|\bquota\b|out of (credits|usage)|\bkeep trying\b",
            ),
        ),
        (
            AskedFor::Auth,
            regex(r"(?i)\b(log|sign)[ -]?in\b|\blogin\b|\bauthenticat|\b(password|passphrase)\b"),
        ),
        (
            AskedFor::Permission,
            regex(
                r"(?i)\b(allow|approve|permission|proceed|execut\w+|apply this|do you want to|would you like to|make this edit|run (this|the|following)|overwrite|requires? (approval|confirmation))\b",
            ),
        ),
    ]
});

impl Question {
    /// A question from foreign texts, made safe.
    pub(crate) fn new(
        kind: AskedFor,
        text: Option<&str>,
        detail: &[&str],
        choices: &[String],
        selected: Option<usize>,
        form: Option<Form>,
    ) -> Question {
        Question {
            kind: Some(kind),
            text: text.map(display_safe_unmasked),
            detail: detail.iter().take(MOST_PARTS).map(|line| display_safe_unmasked(line)).collect(),
            choices: choices.iter().take(MOST_PARTS).map(|label| display_safe_unmasked(label)).collect(),
            selected,
            form,
        }
    }

    /// The kind that the words of a dialog stand for. A list of free choices is a question, unless its words are those
    /// of a permission.
    pub(crate) fn kind_of(words: &str, may_be_question: bool) -> AskedFor {
        let known = KINDS.iter().find(|(_, words_of)| words_of.is_match(words)).map(|(kind, _)| *kind);
        known.unwrap_or(if may_be_question { AskedFor::Question } else { AskedFor::Permission })
    }

    /// Whether a screen on which this was seen still shows this question. Another source may have told its text. Where
    /// the selection stands does not matter.
    pub fn is_still(&self, seen: &Question) -> bool {
        let shows_more = !seen.choices.is_empty() || !seen.detail.is_empty();
        self.choices == seen.choices
            && self.detail == seen.detail
            && self.form == seen.form
            && (shows_more || self.text == seen.text)
    }

    /// Whether it is answered with a line of text.
    pub fn takes_words(&self) -> bool {
        self.form == Some(Form::Line)
    }

    /// Whether the screen that asks it was seen.
    pub fn is_seen(&self) -> bool {
        self.form.is_some()
    }

    /// The same with what another source knows, where this one knows nothing.
    pub(crate) fn or(mut self, other: &Question) -> Question {
        self.kind = self.kind.or(other.kind);
        self.text = self.text.or_else(|| other.text.clone());
        if self.detail.is_empty() {
            self.detail.clone_from(&other.detail);
        }
        if self.choices.is_empty() {
            self.choices.clone_from(&other.choices);
            self.selected = other.selected;
        }
        self.form = self.form.or(other.form);
        self
    }
}

impl From<&Asking> for Question {
    fn from(asking: &Asking) -> Question {
        Question { kind: asking.kind, text: asking.message.clone(), ..Question::default() }
    }
}
