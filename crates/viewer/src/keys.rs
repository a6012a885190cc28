//! Keys by their names, as bytes that a child reads.

use model::display_safe;

/// What the bytes of a key depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyModes {
    /// The program has asked for application sequences from the cursor keys (mode 1).
    pub application_cursor: bool,
}

/// Why a name stands for no bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing is called that.
    #[error("there is no key `{}`; the keys are {}", display_safe(.0), known_names())]
    Unknown(String),
    /// A terminal has no bytes for the key together with Control or Shift.
    #[error("a terminal cannot send `{}`: the key has no code together with that modifier", display_safe(.0))]
    NoCode(String),
}

/// The bytes of a key.
///
/// A name is a single character, the name of a key (`Enter`, `F5`, …) in any case, or a byte (`0x1b`). Before a
/// character or a name stand the modifiers, in any order: `C-` for Control, `M-` for Alt, `S-` for Shift.
///
/// # Errors
///
/// When the name is unknown, or when terminals have no bytes for it.
pub fn key_bytes(name: &str, modes: KeyModes) -> Result<Vec<u8>, KeyError> {
    let (held, rest) = Modifiers::split_off(name);
    let key = key(rest).ok_or_else(|| KeyError::Unknown(name.into()))?;
    key.bytes(held, modes).ok_or_else(|| KeyError::NoCode(name.into()))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Modifiers {
    shift: bool,
    alt: bool,
    control: bool,
}

impl Modifiers {
    /// The modifiers that a name begins with, and the rest of it, which is not empty unless the name is.
    fn split_off(name: &str) -> (Modifiers, &str) {
        let mut held = Modifiers::default();
        let mut rest = name;
        while let [letter, b'-', _, ..] = rest.as_bytes() {
            match letter.to_ascii_uppercase() {
                b'S' => held.shift = true,
                b'M' => held.alt = true,
                b'C' => held.control = true,
                _ => break,
            }
            rest = &rest[2..];
        }
        (held, rest)
    }

    /// How xterm puts them into a sequence, where there is something to put.
    fn parameter(self) -> Option<u8> {
        let sum = u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control);
        (sum > 0).then_some(sum + 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Character(char),
    Byte(u8),
    /// A key that has had a code of its own since ASCII.
    Code(u8),
    BackTab,
    /// `CSI letter`, or `SS3 letter` for a program that asked for that.
    Cursor(u8),
    /// `SS3 letter`.
    Function(u8),
    /// `CSI number ~`.
    Numbered(u8),
}

const ENTER: u8 = b'\r';
const TAB: u8 = b'\t';
const ESCAPE: u8 = 0x1b;
const SPACE: u8 = b' ';
const BACKSPACE: u8 = 0x7f;

/// Every key that has a name; some have two.
const NAMES: [(&str, Key); 37] = [
    ("Enter", Key::Code(ENTER)),
    ("Tab", Key::Code(TAB)),
    ("BTab", Key::BackTab),
    ("Escape", Key::Code(ESCAPE)),
    ("Space", Key::Code(SPACE)),
    ("BSpace", Key::Code(BACKSPACE)),
    ("Up", Key::Cursor(b'A')),
    ("Down", Key::Cursor(b'B')),
    ("Right", Key::Cursor(b'C')),
    ("Left", Key::Cursor(b'D')),
    ("End", Key::Cursor(b'F')),
    ("Home", Key::Cursor(b'H')),
    ("IC", Key::Numbered(2)),
    ("Insert", Key::Numbered(2)),
    ("DC", Key::Numbered(3)),
    ("Delete", Key::Numbered(3)),
    ("PPage", Key::Numbered(5)),
    ("PageUp", Key::Numbered(5)),
    ("PgUp", Key::Numbered(5)),
    ("NPage", Key::Numbered(6)),
    ("PageDown", Key::Numbered(6)),
    ("PgDn", Key::Numbered(6)),
    ("Esc", Key::Code(ESCAPE)),
    ("Return", Key::Code(ENTER)),
    ("Backspace", Key::Code(BACKSPACE)),
    ("F1", Key::Function(b'P')),
    ("F2", Key::Function(b'Q')),
    ("F3", Key::Function(b'R')),
    ("F4", Key::Function(b'S')),
    ("F5", Key::Numbered(15)),
    ("F6", Key::Numbered(17)),
    ("F7", Key::Numbered(18)),
    ("F8", Key::Numbered(19)),
    ("F9", Key::Numbered(20)),
    ("F10", Key::Numbered(21)),
    ("F11", Key::Numbered(23)),
    ("F12", Key::Numbered(24)),
];

fn known_names() -> String {
    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    format!("{}, single characters, bytes as 0x1b, each after C-, M- or S-", names.join(", "))
}

fn key(name: &str) -> Option<Key> {
    let mut characters = name.chars();
    if let (Some(c), None) = (characters.next(), characters.next()) {
        return Some(Key::Character(c));
    }
    if let Some(digits) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
        let digits = Some(digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        return digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(Key::Byte);
    }
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, key)| *key)
}

impl Key {
    fn bytes(self, held: Modifiers, modes: KeyModes) -> Option<Vec<u8>> {
        match (self, held.parameter()) {
            (Key::Character(c), _) => with_alt(held, character(c, held)?),
            (Key::Code(code), _) => with_alt(held, code_bytes(code, held)?),
            (Key::Byte(byte), None) => Some(vec![byte]),
            (Key::Byte(_), Some(_)) => None,
            (Key::BackTab, _) => {
                let plain = !held.control;
                plain.then(|| b"\x1b[Z".to_vec()).and_then(|bytes| with_alt(held, bytes))
            }
            (Key::Cursor(letter), None) if modes.application_cursor => Some(vec![ESCAPE, b'O', letter]),
            (Key::Cursor(letter), None) => Some(vec![ESCAPE, b'[', letter]),
            (Key::Function(letter), None) => Some(vec![ESCAPE, b'O', letter]),
            (Key::Cursor(letter) | Key::Function(letter), Some(held)) => {
                Some(format!("\x1b[1;{held}{}", char::from(letter)).into_bytes())
            }
            (Key::Numbered(number), None) => Some(format!("\x1b[{number}~").into_bytes()),
            (Key::Numbered(number), Some(held)) => Some(format!("\x1b[{number};{held}~").into_bytes()),
        }
    }
}

fn with_alt(held: Modifiers, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    if held.alt {
        bytes.insert(0, ESCAPE);
    }
    Some(bytes)
}

fn character(c: char, held: Modifiers) -> Option<Vec<u8>> {
    let c = match held.shift {
        true if c.is_ascii_alphabetic() => c.to_ascii_uppercase(),
        // Which character Shift makes of it is known to the keyboard alone.
        true => return None,
        false => c,
    };
    if held.control {
        return control_code(c).map(|code| vec![code]);
    }
    Some(c.to_string().into_bytes())
}

fn control_code(c: char) -> Option<u8> {
    match c {
        'a'..='z' | 'A'..='Z' | '@' | '['..='_' => Some(c as u8 & 0x1f),
        ' ' | '2' => Some(0),
        '/' => Some(0x1f),
        '?' => Some(BACKSPACE),
        _ => None,
    }
}

fn code_bytes(code: u8, held: Modifiers) -> Option<Vec<u8>> {
    match (code, held.control, held.shift) {
        (code, false, false) => Some(vec![code]),
        (SPACE, true, false) => Some(vec![0]),
        (BACKSPACE, true, false) => Some(vec![0x08]),
        (TAB, false, true) => Some(b"\x1b[Z".to_vec()),
        // Anything else would look like the key alone: who means S-Enter must not send Enter.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(name: &str) -> Vec<u8> {
        key_bytes(name, KeyModes::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[test]
    fn keys_have_the_bytes_that_terminals_send() {
        let keys: [(&str, &[u8]); 46] = [
            ("a", b"a"),
            ("A", b"A"),
            ("é", "é".as_bytes()),
            ("漢", "漢".as_bytes()),
            ("-", b"-"),
            ("C-c", b"\x03"),
            ("c-C", b"\x03"),
            ("C-@", b"\0"),
            ("C-Space", b"\0"),
            ("C-[", b"\x1b"),
            ("C-\\", b"\x1c"),
            ("C-]", b"\x1d"),
            ("C-^", b"\x1e"),
            ("C-_", b"\x1f"),
            ("C-/", b"\x1f"),
            ("C-?", b"\x7f"),
            ("C-M-x", b"\x1b\x18"),
            ("M-C-x", b"\x1b\x18"),
            ("M-x", b"\x1bx"),
            ("M-X", b"\x1bX"),
            ("M--", b"\x1b-"),
            ("S-a", b"A"),
            ("M-Enter", b"\x1b\r"),
            ("Enter", b"\r"),
            ("ENTER", b"\r"),
            ("Tab", b"\t"),
            ("BTab", b"\x1b[Z"),
            ("S-Tab", b"\x1b[Z"),
            ("Escape", b"\x1b"),
            ("Space", b" "),
            ("BSpace", b"\x7f"),
            ("C-BSpace", b"\x08"),
            ("Up", b"\x1b[A"),
            ("C-Left", b"\x1b[1;5D"),
            ("C-S-right", b"\x1b[1;6C"),
            ("Home", b"\x1b[H"),
            ("M-End", b"\x1b[1;3F"),
            ("PageUp", b"\x1b[5~"),
            ("npage", b"\x1b[6~"),
            ("S-IC", b"\x1b[2;2~"),
            ("Delete", b"\x1b[3~"),
            ("F1", b"\x1bOP"),
            ("S-F4", b"\x1b[1;2S"),
            ("F5", b"\x1b[15~"),
            ("f12", b"\x1b[24~"),
            ("0x1B", b"\x1b"),
        ];
        for (name, expected) in keys {
            assert_eq!(bytes(name), expected, "{name}");
        }
    }

    #[test]
    fn cursor_keys_follow_the_programs_mode() {
        let modes = KeyModes { application_cursor: true };
        assert_eq!(key_bytes("Up", modes).unwrap(), b"\x1bOA");
        assert_eq!(key_bytes("Home", modes).unwrap(), b"\x1bOH");
        assert_eq!(key_bytes("C-Up", modes).unwrap(), b"\x1b[1;5A");
        assert_eq!(key_bytes("PageUp", modes).unwrap(), b"\x1b[5~");
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_known_ones() {
        for name in ["", "Entre", "C-Entre", "F13", "0x", "0x100", "0x+1", "ab", "C-"] {
            let error = key_bytes(name, KeyModes::default()).unwrap_err();
            assert_eq!(error, KeyError::Unknown(name.into()));
            assert!(error.to_string().contains("PageDown"), "{error}");
        }
    }

    #[test]
    fn a_key_without_a_code_of_its_own_is_not_another_key() {
        for name in ["S-Enter", "C-Enter", "C-Tab", "S-1", "C-1", "C-é", "C-0x1b", "S-Space", "C-BTab"] {
            assert_eq!(key_bytes(name, KeyModes::default()), Err(KeyError::NoCode(name.into())));
        }
    }
}
