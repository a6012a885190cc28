//! Whether recordings are masked when they come to rest.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Whether secrets in a recording are masked when it comes to rest. What leaves it is masked either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaskPolicy {
    /// They are.
    #[default]
    Always,
    /// They stay, by their owner's choice.
    Never,
}

/// Why a text names no mask policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is neither always nor never")]
pub struct ParseMaskPolicyError(String);

impl FromStr for MaskPolicy {
    type Err = ParseMaskPolicyError;

    fn from_str(text: &str) -> Result<MaskPolicy, ParseMaskPolicyError> {
        match text {
            "always" => Ok(MaskPolicy::Always),
            "never" => Ok(MaskPolicy::Never),
            _ => Err(ParseMaskPolicyError(crate::display_safe(text))),
        }
    }
}

impl fmt::Display for MaskPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MaskPolicy::Always => "always",
            MaskPolicy::Never => "never",
        })
    }
}
