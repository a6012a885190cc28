//! Which C library a program needs.

/// How a program names a version of the C library that it needs.
const MARK: &[u8] = b"GLIBC_2.";

/// The newest version 2.N of the C library that a program names; gives N.
pub(super) fn needed(program: &[u8]) -> Option<u32> {
    let number = |at: usize| -> Option<u32> {
        let digits = program[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        str::from_utf8(&program[at..at + digits]).ok()?.parse().ok()
    };
    let marks = program.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    marks.filter_map(|(at, _)| number(at + MARK.len())).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts() {
        assert_eq!(needed(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0"), Some(34));
        assert_eq!(needed(b"GLIBC_2."), None);
        assert_eq!(needed(b""), None);
    }
}
