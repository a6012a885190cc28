//! Sequences that take everything off the screen at once.
//!
//! The model does not say when it met one, so they are looked for in the output. What looks like one and is none, being
//! part of a longer string, does no harm: whether the screen was cleared is seen on the screen.

use memchr::memchr_iter;

const ESC: u8 = 0x1b;

/// No sequence of these is longer, as programs write them.
const LONGEST: usize = 16;

/// A sequence in output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where it starts.
    pub(crate) start: usize,
    /// Where what follows it starts.
    pub(crate) end: usize,
    /// What it does.
    pub(crate) kind: CutKind,
}

/// What a sequence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutKind {
    /// Clears the screen.
    Clear,
    /// Clears the history.
    ForgetHistory,
    /// Shows the alternate screen, or the main one again.
    Switch,
    /// Resets everything.
    Reset,
}

/// Finds the first sequence.
pub(crate) fn find(bytes: &[u8]) -> Option<Cut> {
    memchr_iter(ESC, bytes).find_map(|start| {
        let (length, kind) = read(&bytes[start..]).ok().flatten()?;
        Some(Cut { start, end: start + length, kind })
    })
}

/// Where the beginning of a sequence whose rest is not there yet starts; the end of the bytes if there is none.
pub(crate) fn held_from(bytes: &[u8]) -> usize {
    let near_end = bytes.len().saturating_sub(LONGEST);
    let mut starts = memchr_iter(ESC, &bytes[near_end..]).map(|start| near_end + start);
    starts.find(|start| read(&bytes[*start..]).is_err()).unwrap_or(bytes.len())
}

/// The bytes end before it is clear what they are.
struct Unfinished;

/// Reads the sequence with which the bytes begin: its length and what it does, or nothing if it is none of ours.
fn read(bytes: &[u8]) -> Result<Option<(usize, CutKind)>, Unfinished> {
    let introduced = match bytes {
        [ESC, b'c', ..] => return Ok(Some((2, CutKind::Reset))),
        [ESC, b'[', ..] => 2,
        [ESC] => return Err(Unfinished),
        _ => return Ok(None),
    };
    let is_parameter = |byte: &&u8| matches!(byte, b'0'..=b'9' | b';' | b'?');
    let parameters = bytes[introduced..].iter().take(LONGEST - introduced).take_while(is_parameter).count();
    let end = introduced + parameters;
    let Some(last) = bytes.get(end) else {
        return if end < LONGEST { Err(Unfinished) } else { Ok(None) };
    };
    let length = end + 1;
    let kind = match (&bytes[introduced..end], last) {
        (b"2", b'J') => CutKind::Clear,
        (b"3", b'J') => CutKind::ForgetHistory,
        ([b'?', modes @ ..], b'h' | b'l') if switches_screens(modes) => CutKind::Switch,
        (b"" | b";" | b"1;1", b'H') => {
            return Ok(read_clear_below(&bytes[length..])?.map(|(more, kind)| (length + more, kind)));
        }
        _ => return Ok(None),
    };
    Ok(Some((length, kind)))
}

/// Reads what clears the whole screen if the cursor stands in its first corner. Programs that draw some rows again go
/// to the first of those by other ways, and mean no more than these rows, even if it is the screen's first.
fn read_clear_below(bytes: &[u8]) -> Result<Option<(usize, CutKind)>, Unfinished> {
    const FORMS: [&[u8]; 2] = [b"\x1b[J", b"\x1b[0J"];
    match FORMS.iter().find(|form| bytes.starts_with(form)) {
        Some(form) => Ok(Some((form.len(), CutKind::Clear))),
        None if FORMS.iter().any(|form| form.starts_with(bytes)) => Err(Unfinished),
        None => Ok(None),
    }
}

fn switches_screens(modes: &[u8]) -> bool {
    modes.split(|byte| *byte == b';').any(|mode| matches!(mode, b"47" | b"1047" | b"1049"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_found_as_programs_write_them() {
        let kind = |bytes: &[u8]| find(bytes).map(|cut| cut.kind);
        assert_eq!(kind(b"\x1b[1;31m\x1b[2J"), Some(CutKind::Clear));
        assert_eq!(kind(b"\x1b[H\x1b[J"), Some(CutKind::Clear));
        assert_eq!(kind(b"\x1b[1;1H\x1b[0J"), Some(CutKind::Clear));
        assert_eq!(kind(b"\x1b[3J"), Some(CutKind::ForgetHistory));
        assert_eq!(kind(b"\x1b[?1049l"), Some(CutKind::Switch));
        assert_eq!(kind(b"\x1b[?25;47h"), Some(CutKind::Switch));
        assert_eq!(kind(b"\x1bc"), Some(CutKind::Reset));
        for other in ["\x1b[J", "\x1b[K", "\x1b[22J", "\x1b[?25l", "\x1b[2;1H\x1b[J", "\x1b]2J", "text"] {
            assert_eq!(find(other.as_bytes()), None, "{other:?}");
        }
        let cut = find(b"ab\x1b[H\x1b[Jcd").expect("a clear");
        assert_eq!((cut.start, cut.end), (2, 8));
    }

    #[test]
    fn a_sequence_that_is_cut_anywhere_is_held_from_its_beginning() {
        for sequence in ["\x1b[2J", "\x1b[H\x1b[J", "\x1b[1;1H\x1b[0J", "\x1b[?1049l", "\x1bc"] {
            for length in 1..sequence.len() {
                let cut = format!("ab{}", &sequence[..length]);
                assert_eq!(held_from(cut.as_bytes()), 2, "{cut:?}");
            }
            let whole = format!("ab{sequence}");
            assert_eq!(held_from(whole.as_bytes()), whole.len(), "{sequence:?}");
        }
        assert_eq!(held_from(b"\x1b[1111111111111111111111"), 24, "nothing is held for ever");
    }
}
