//! Who decides how large a worker's terminal is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Who decides how large a worker's terminal is: it has one size, its viewers have many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizePolicy {
    /// The viewer that last attached, typed or took focus.
    #[default]
    Latest,
    /// All viewers: the smallest number of columns and of rows among them.
    Smallest,
    /// None of them.
    Fixed,
}

/// Why a text names no size policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a size policy; it is one of latest, smallest, fixed")]
pub struct ParseSizePolicyError(String);

impl FromStr for SizePolicy {
    type Err = ParseSizePolicyError;

    fn from_str(text: &str) -> Result<SizePolicy, ParseSizePolicyError> {
        match text {
            "latest" => Ok(SizePolicy::Latest),
            "smallest" => Ok(SizePolicy::Smallest),
            "fixed" => Ok(SizePolicy::Fixed),
            _ => Err(ParseSizePolicyError(text.to_owned())),
        }
    }
}

impl fmt::Display for SizePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizePolicy::Latest => "latest",
            SizePolicy::Smallest => "smallest",
            SizePolicy::Fixed => "fixed",
        })
    }
}
