//! The keys that are for us and not for the program.

use crate::press::{self, Press};

/// A typed key.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<Ours> {
    /// Bytes for the program.
    Typed(Vec<u8>),
    /// A key of ours, after the prefix.
    Ours(Ours),
}

/// Finds our keys among typed bytes: each is a control key, the prefix, and a key after it.
pub struct Keys<Ours> {
    /// The character on the prefix's key.
    prefix: char,
    ours: Vec<(char, Ours)>,
    /// The prefix, if it was the last key pressed, and what a terminal told after it of keys let go.
    held: Vec<u8>,
}

impl<Ours: Copy> Keys<Ours> {
    /// These keys after the control key of `prefix`: a lower-case letter or one of `@ \ ] ^ _`.
    pub fn new(prefix: char, ours: impl Into<Vec<(char, Ours)>>) -> Keys<Ours> {
        Keys { prefix, ours: ours.into(), held: Vec::new() }
    }

    /// Takes typed bytes apart. The prefix before any other key than ours is the program's, with that key; twice, it
    /// is the program's once.
    pub fn take(&mut self, mut bytes: &[u8]) -> Vec<Key<Ours>> {
        let mut keys = Vec::new();
        while !bytes.is_empty() {
            let (length, press) = press::first(bytes);
            let (typed, rest) = bytes.split_at(length);
            match press {
                Press::Control(key) if key == self.prefix => {
                    if self.held.is_empty() {
                        self.held.extend(typed);
                    } else {
                        self.held.clear();
                        type_to(&mut keys, typed);
                    }
                }
                _ if self.held.is_empty() => type_to(&mut keys, typed),
                Press::Aside => self.held.extend(typed),
                press => {
                    let held = std::mem::take(&mut self.held);
                    match self.ours(press) {
                        Some(ours) => keys.push(Key::Ours(ours)),
                        None => {
                            type_to(&mut keys, &held);
                            type_to(&mut keys, typed);
                        }
                    }
                }
            }
            bytes = rest;
        }
        keys
    }

    fn ours(&self, press: Press) -> Option<Ours> {
        self.ours.iter().find(|(key, _)| press == Press::Plain(*key)).map(|&(_, ours)| ours)
    }
}

fn type_to<Ours>(keys: &mut Vec<Key<Ours>>, bytes: &[u8]) {
    if let Some(Key::Typed(typed)) = keys.last_mut() {
        typed.extend(bytes);
    } else {
        keys.push(Key::Typed(bytes.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIXES: [&[u8]; 4] = [b"\x1c", b"\x1b[92;5u", b"\x1b[27;5;92~", b"\x1b[92;5:1u"];

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Ours {
        Redraw,
        HangUp,
    }

    fn check(typed: &[&[u8]], expected: &[Key<Ours>]) {
        let mut keys = Keys::new('\\', [('r', Ours::Redraw), ('q', Ours::HangUp)]);
        let taken: Vec<Key<Ours>> = typed.iter().flat_map(|bytes| keys.take(bytes)).collect();
        assert_eq!(taken, expected, "{typed:?}");
    }

    fn typed(bytes: &[u8]) -> Key<Ours> {
        Key::Typed(bytes.to_vec())
    }

    #[test]
    fn our_keys_are_removed_and_the_rest_passes() {
        check(&[b"ls\x1crmore"], &[typed(b"ls"), Key::Ours(Ours::Redraw), typed(b"more")]);
        check(&[b"\x1c", b"q"], &[Key::Ours(Ours::HangUp)]);
        check(&[b"\xc3\xa9\x1b[A"], &[typed(b"\xc3\xa9\x1b[A")]);
    }

    #[test]
    fn our_keys_are_recognised_in_every_keyboard_protocol() {
        for prefix in PREFIXES {
            check(&[prefix, b"r"], &[Key::Ours(Ours::Redraw)]);
            check(&[prefix, b"\x1b[113u"], &[Key::Ours(Ours::HangUp)]);
            check(&[prefix, prefix, b"r"], &[typed(prefix), typed(b"r")]);
        }
    }

    #[test]
    fn a_prefix_let_go_before_the_next_key_is_still_the_prefix() {
        check(&[b"\x1b[92;5:1u", b"\x1b[92;5:3u\x1b[57442;1:3u", b"r"], &[Key::Ours(Ours::Redraw)]);
        check(&[b"\x1b[92;5:1u\x1b[92;5:3ux"], &[typed(b"\x1b[92;5:1u\x1b[92;5:3ux")]);
    }

    #[test]
    fn a_prefix_before_another_key_is_the_programs() {
        check(&[b"\x1cx"], &[typed(b"\x1cx")]);
        check(&[b"\x1c", b"\x1b[A"], &[typed(b"\x1c\x1b[A")]);
    }
}
