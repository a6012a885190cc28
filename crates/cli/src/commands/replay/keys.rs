//! Keys, as a terminal in no special mode sends them.

/// A pressed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A character.
    Char(char),
    /// The control key and a letter.
    Control(char),
    Left,
    Right,
    /// With Shift, Alt or Control.
    FarLeft,
    FarRight,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Backspace,
    Escape,
    /// One that means nothing here.
    Unknown,
}

const ESC: u8 = 0x1b;

/// Takes typed bytes apart.
#[derive(Default)]
pub(super) struct Keys {
    /// The beginning of a key: its rest is still to come, or it is the escape key.
    unfinished: Vec<u8>,
}

impl Keys {
    /// The keys that these bytes, with those before them, are.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.unfinished.extend(bytes);
        let mut keys = Vec::new();
        while let Some((length, key)) = first(&self.unfinished) {
            self.unfinished.drain(..length);
            keys.push(key);
        }
        keys
    }

    /// Whether there is the beginning of a key.
    pub(super) fn is_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// Takes the beginning of a key for a key, since no more has come.
    pub(super) fn give_up(&mut self) -> Option<Key> {
        match std::mem::take(&mut self.unfinished)[..] {
            [] => None,
            [ESC] => Some(Key::Escape),
            _ => Some(Key::Unknown),
        }
    }
}

/// The key with which bytes begin, and how many of them it is; nothing if they end too early.
fn first(bytes: &[u8]) -> Option<(usize, Key)> {
    match bytes {
        [] | [ESC] => None,
        [ESC, b'[', rest @ ..] => sequence(rest).map(|(length, key)| (2 + length, key)),
        [ESC, b'O'] => None,
        [ESC, b'O', last, ..] => Some((3, named(*last, false))),
        [ESC, ESC, ..] => Some((1, Key::Escape)),
        [ESC, _, ..] => Some((2, Key::Unknown)),
        [b'\r' | b'\n', ..] => Some((1, Key::Enter)),
        [0x7f | 0x08, ..] => Some((1, Key::Backspace)),
        [control @ 1..=26, ..] => Some((1, Key::Control(char::from(control - 1 + b'a')))),
        [0..b' ', ..] => Some((1, Key::Unknown)),
        _ => character(bytes),
    }
}

/// What follows `ESC [`: numbers, and what they are about.
fn sequence(bytes: &[u8]) -> Option<(usize, Key)> {
    let end = bytes.iter().position(|byte| matches!(byte, 0x40..=0x7e))?;
    let mut numbers = bytes[..end].split(|byte| *byte == b';');
    let first = numbers.next().unwrap_or_default();
    let is_modified = numbers.next().is_some_and(|modifiers| modifiers != b"1");
    let key = match (bytes[end], first) {
        (b'~', b"1" | b"7") => Key::Home,
        (b'~', b"4" | b"8") => Key::End,
        (b'~', b"5") => Key::PageUp,
        (b'~', b"6") => Key::PageDown,
        (last, _) => named(last, is_modified),
    };
    Some((end + 1, key))
}

fn named(last: u8, is_modified: bool) -> Key {
    match (last, is_modified) {
        (b'D', false) => Key::Left,
        (b'D', true) => Key::FarLeft,
        (b'C', false) => Key::Right,
        (b'C', true) => Key::FarRight,
        (b'H', _) => Key::Home,
        (b'F', _) => Key::End,
        _ => Key::Unknown,
    }
}

fn character(bytes: &[u8]) -> Option<(usize, Key)> {
    let whole = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => return error.error_len().map(|length| (length, Key::Unknown)),
    };
    let c = whole.chars().next()?;
    Some((c.len_utf8(), Key::Char(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(parts: &[&[u8]]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut taken: Vec<Key> = parts.iter().flat_map(|part| keys.take(part)).collect();
        taken.extend(keys.give_up());
        taken
    }

    #[test]
    fn keys_are_recognised_in_every_form_that_terminals_send() {
        for (bytes, key) in [
            (&b"\x1b[D"[..], Key::Left),
            (b"\x1bOC", Key::Right),
            (b"\x1b[1;2D", Key::FarLeft),
            (b"\x1b[1;5C", Key::FarRight),
            (b"\x1b[5~", Key::PageUp),
            (b"\x1b[6~", Key::PageDown),
            (b"\x1b[H", Key::Home),
            (b"\x1b[1~", Key::Home),
            (b"\x1bOF", Key::End),
            (b"\x1b[8~", Key::End),
            (b"\r", Key::Enter),
            (b"\x7f", Key::Backspace),
            (b"\x03", Key::Control('c')),
            (b" ", Key::Char(' ')),
            ("ß".as_bytes(), Key::Char('ß')),
            (b"\x1b", Key::Escape),
            (b"\x1bx", Key::Unknown),
            (b"\x1b[A", Key::Unknown),
            (b"\xff", Key::Unknown),
        ] {
            assert_eq!(keys(&[bytes]), [key], "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_key_may_come_in_parts_and_many_at_once() {
        assert_eq!(keys(&[b"\x1b", b"[1", b";2C"]), [Key::FarRight]);
        assert_eq!(keys(&[b"\xc3", b"\x9f"]), [Key::Char('ß')]);
        assert_eq!(keys(&[b"ab\x1b[Dc"]), [Key::Char('a'), Key::Char('b'), Key::Left, Key::Char('c')]);
        assert_eq!(keys(&[b"a\xc3"]), [Key::Char('a'), Key::Unknown]);
        assert_eq!(keys(&[b"\x1b\x1b"]), [Key::Escape, Key::Escape]);
    }
}
