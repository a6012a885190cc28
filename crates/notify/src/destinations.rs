//! Where a person is told.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use crate::{Nudge, NudgeError, Url, command, post};

/// Where a person is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destinations {
    /// A program, by its absolute path.
    pub command: Option<PathBuf>,
    /// A URL.
    pub url: Option<Url>,
    /// What is posted there.
    pub form: Form,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A program.
    Command(PathBuf),
    /// A URL, and what is posted there.
    Url(Url, Form),
}

/// What is posted to a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// All facts, as JSON.
    #[default]
    Json,
    /// The message as plain text, with its title in a header.
    Text,
}

/// Why a text names no form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is neither json nor text")]
pub struct ParseFormError(String);

impl Destinations {
    /// Each of them.
    pub fn each(&self) -> impl Iterator<Item = Destination> {
        let command = self.command.clone().map(Destination::Command);
        let form = self.form;
        command.into_iter().chain(self.url.clone().map(|url| Destination::Url(url, form)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.command.is_none() && self.url.is_none()
    }
}

impl Destination {
    /// Hands it a nudge. Waits until it has taken it.
    ///
    /// # Errors
    ///
    /// When it did not take it, or took too long.
    pub fn send(&self, nudge: &Nudge) -> Result<(), NudgeError> {
        match self {
            Destination::Command(program) => command::run(program, nudge),
            Destination::Url(url, form) => post::post(url, *form, nudge),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::Command(program) => {
                write!(f, "`{}`", model::display_safe(&program.display().to_string()))
            }
            Destination::Url(url, _) => write!(f, "{url}"),
        }
    }
}

impl FromStr for Form {
    type Err = ParseFormError;

    fn from_str(text: &str) -> Result<Form, ParseFormError> {
        match text {
            "json" => Ok(Form::Json),
            "text" => Ok(Form::Text),
            _ => Err(ParseFormError(model::display_safe(text))),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Json => "json",
            Form::Text => "text",
        })
    }
}
