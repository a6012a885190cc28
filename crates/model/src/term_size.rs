//! The size of a terminal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How many columns and rows a terminal has.
///
/// Every value lies within [`TermSize::MIN`] and [`TermSize::MAX`]: every size from outside is clamped,
/// so no later code meets a screen of no cells or of a billion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Unclamped")]
pub struct TermSize {
    cols: u16,
    rows: u16,
}

impl TermSize {
    /// The smallest terminal: a wide character needs two columns.
    pub const MIN: TermSize = TermSize { cols: 2, rows: 1 };
    /// The largest terminal; one of its screens, written full, takes eight megabytes.
    pub const MAX: TermSize = TermSize { cols: 1000, rows: 1000 };

    /// A size, clamped to what a terminal may have.
    pub fn clamped(cols: u16, rows: u16) -> TermSize {
        TermSize {
            cols: cols.clamp(Self::MIN.cols, Self::MAX.cols),
            rows: rows.clamp(Self::MIN.rows, Self::MAX.rows),
        }
    }

    /// Number of columns.
    pub fn cols(self) -> u16 {
        self.cols
    }

    /// Number of rows.
    pub fn rows(self) -> u16 {
        self.rows
    }
}

/// A size as text.
#[derive(Deserialize)]
struct Unclamped {
    cols: u16,
    rows: u16,
}

impl From<Unclamped> for TermSize {
    fn from(size: Unclamped) -> TermSize {
        TermSize::clamped(size.cols, size.rows)
    }
}

impl fmt::Display for TermSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

/// Why a text is not a terminal size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a terminal size; write columns, an x and rows, as in 120x40")]
pub struct ParseTermSizeError(String);

impl FromStr for TermSize {
    type Err = ParseTermSizeError;

    fn from_str(text: &str) -> Result<TermSize, ParseTermSizeError> {
        let number = |part: &str| part.parse::<u32>().ok().filter(|&n| n > 0);
        text.split_once('x')
            .and_then(|(cols, rows)| Some((number(cols)?, number(rows)?)))
            .map(|(cols, rows)| {
                let limit = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
                TermSize::clamped(limit(cols), limit(rows))
            })
            .ok_or_else(|| ParseTermSizeError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_clamped_wherever_they_enter() {
        assert_eq!("0x5".parse::<TermSize>(), Err(ParseTermSizeError("0x5".into())));
        assert_eq!("1x1".parse(), Ok(TermSize::MIN));
        assert_eq!("99999x70000".parse(), Ok(TermSize::MAX));
        assert_eq!("120x40".parse(), Ok(TermSize::clamped(120, 40)));
        assert!("120".parse::<TermSize>().is_err());
    }
}
