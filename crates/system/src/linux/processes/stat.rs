//! The line in which the kernel describes a process.

use std::fs;

/// What is used of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    /// It has ended, and its parent has not collected it.
    pub(super) has_ended: bool,
    pub(super) parent: Option<u32>,
    pub(super) group: Option<u32>,
    pub(super) foreground_group: Option<u32>,
    /// In ticks since the machine started.
    pub(super) start: u64,
}

impl Stat {
    pub(super) fn of(pid: u32) -> Option<Stat> {
        parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }
}

fn parse(stat: &[u8]) -> Option<Stat> {
    // The second field is a name in parentheses, which may hold anything.
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let mut fields = str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    // Behind the state: parent, group, session, terminal, the terminal's group. The start is the 22nd field of all.
    let mut number = |skipped: usize| fields.nth(skipped)?.parse::<u32>().ok().filter(|number| *number > 0);
    let (parent, group, foreground_group) = (number(0), number(0), number(2));
    Some(Stat { has_ended, parent, group, foreground_group, start: fields.nth(13)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEHIND: &str = "S 1 41 42 34816 43 4194304 100 0 0 0 1 2 3 4 20 0 1 0 98765 1000 200";

    #[test]
    fn a_name_may_hold_anything() {
        let expected = Stat {
            has_ended: false,
            parent: Some(1),
            group: Some(41),
            foreground_group: Some(43),
            start: 98765,
        };
        for name in ["sh", "a) Z (b", "two words", ""] {
            assert_eq!(parse(format!("7 ({name}) {BEHIND}").as_bytes()).as_ref(), Some(&expected), "{name}");
        }
        let foreign = [b"7 (\xff\xfe) ", BEHIND.as_bytes()].concat();
        assert_eq!(parse(&foreign), Some(expected));
    }

    #[test]
    fn a_process_without_a_terminal_has_no_foreground() {
        let stat = parse(format!("7 (sh) {}", BEHIND.replace(" 43 ", " -1 ")).as_bytes()).unwrap();
        assert_eq!(stat.foreground_group, None);
        assert_eq!((stat.group, stat.start), (Some(41), 98765));
    }

    #[test]
    fn a_zombie_has_ended_and_half_a_line_is_not_read() {
        assert!(parse(format!("7 (sh) {}", BEHIND.replace('S', "Z")).as_bytes()).unwrap().has_ended);
        assert_eq!(parse(b"7 (sh) S 1 41"), None);
        assert_eq!(parse(b""), None);
    }
}
