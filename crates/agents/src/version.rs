//! Versions of agent programs, and ranges of them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version of a program: its numbers, from the first on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(Vec<u64>);

/// A text that has no version in it, or a range that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseVersionError {
    /// No number.
    #[error("`{0}` has no version number in it, as in `2.1.197`")]
    NoNumber(String),
    /// No comparison.
    #[error("`{0}` is no range of versions; write it as in `>=2.1.300` or `>=0.160, <0.166`")]
    Range(String),
}

impl FromStr for Version {
    type Err = ParseVersionError;

    /// Finds the version in what a program prints for `--version`: the first word that begins with a number, with or
    /// without a `v` before it, and has a dot.
    fn from_str(text: &str) -> Result<Version, ParseVersionError> {
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '/' | '@' | ','));
        let numbers = |word: &str| -> Option<Vec<u64>> {
            let word = word.strip_prefix('v').unwrap_or(word);
            let plain = word.split(['-', '+']).next().unwrap_or(word);
            plain.split('.').map(|number| number.parse().ok()).collect()
        };
        let mut found = words.filter(|word| word.contains('.')).filter_map(numbers);
        let version = found.next().or_else(|| numbers(text.trim()));
        version.map(Version).ok_or_else(|| ParseVersionError::NoNumber(model::display_safe(text)))
    }
}

impl Version {
    fn order(&self, other: &Version) -> Ordering {
        let numbers = self.0.len().max(other.0.len());
        let at = |version: &Version, index: usize| version.0.get(index).copied().unwrap_or(0);
        (0..numbers)
            .map(|index| at(self, index).cmp(&at(other, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

/// Versions for which a rule is meant: all bounds hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange(Vec<(Bound, Version)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Before,
    UpTo,
    Exactly,
    From,
    After,
}

impl VersionRange {
    /// Whether a version is in the range. An unknown version may be any, and so is in all of them.
    pub fn has(&self, version: Option<&Version>) -> bool {
        let Some(version) = version else { return true };
        self.0.iter().all(|(bound, limit)| {
            let order = version.order(limit);
            match bound {
                Bound::Before => order.is_lt(),
                Bound::UpTo => order.is_le(),
                Bound::Exactly => order.is_eq(),
                Bound::From => order.is_ge(),
                Bound::After => order.is_gt(),
            }
        })
    }
}

impl FromStr for VersionRange {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<VersionRange, ParseVersionError> {
        let bound = |part: &str| {
            let part = part.trim();
            let signs = [
                ("<=", Bound::UpTo),
                (">=", Bound::From),
                ("<", Bound::Before),
                (">", Bound::After),
                ("=", Bound::Exactly),
            ];
            let (bound, version) =
                signs.iter().find_map(|(sign, bound)| Some((*bound, part.strip_prefix(sign)?)))?;
            Some((bound, version.trim().parse().ok()?))
        };
        let bounds: Option<Vec<_>> = text.split(',').map(bound).collect();
        bounds.map(VersionRange).ok_or_else(|| ParseVersionError::Range(model::display_safe(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_print() {
        for (text, version) in [
            ("2.1.197 (Claude Code)", "2.1.197"),
            ("codex-cli 0.166.0", "0.166.0"),
            ("v0.24.4-nightly.3", "0.24.4"),
            ("GitHub Copilot CLI 1.0.102.\nCommit: abc", "1.0.102"),
            ("7", "7"),
        ] {
            let found = text.trim_end_matches('.').replace(".\n", "\n").parse::<Version>().expect(text);
            assert_eq!(found.to_string(), version);
        }
        assert!("unknown".parse::<Version>().is_err());
    }

    #[test]
    fn a_range_has_the_versions_between_its_bounds() {
        let range: VersionRange = ">=0.160, <0.166".parse().expect("a range");
        let has = |version: &str| range.has(Some(&version.parse().expect("a version")));
        assert!(has("0.160.0") && has("0.165.9") && !has("0.159.9") && !has("0.166") && !has("1.0"));
        assert!(range.has(None), "an unknown version may be any");
        assert!("0.160".parse::<VersionRange>().is_err() && ">=x".parse::<VersionRange>().is_err());
    }
}
