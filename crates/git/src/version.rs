//! Which git it is.

use std::fmt;

/// A version of git, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// The first with settings in the environment, which is how a repository's own are overruled, and with absolute
    /// paths from `rev-parse`.
    pub const OLDEST: Version = Version { major: 2, minor: 31 };
    /// The first that lists worktrees with NUL between the fields.
    pub(crate) const LISTS_WITH_NUL: Version = Version { major: 2, minor: 36 };

    /// From what `git version` prints.
    pub(crate) fn parse(line: &str) -> Option<Version> {
        let mut numbers = line.trim().strip_prefix("git version ")?.split('.');
        let mut number = || numbers.next()?.parse().ok();
        Some(Version { major: number()?, minor: number()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_vendors_write_them() {
        let version = |major, minor| Some(Version { major, minor });
        assert_eq!(Version::parse("git version 2.47.3\n"), version(2, 47));
        assert_eq!(Version::parse("git version 2.39.2 (Apple Git-143)"), version(2, 39));
        assert_eq!(Version::parse("git version 2.50.0.rc1.12.gabcdef"), version(2, 50));
        assert_eq!(Version::parse("git version two"), None);
        assert!(version(2, 9) < version(2, 31) && version(3, 0) > version(2, 31));
    }
}
