//! The keys that are for us and not for the program.

/// Ctrl-\ as terminals send it: plainly, in kitty's keyboard protocol, and with modifyOtherKeys.
const PREFIXES: [&[u8]; 3] = [b"\x1c", b"\x1b[92;5u", b"\x1b[27;5;92~"];

/// What somebody typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Bytes for the program.
    Typed(Vec<u8>),
    /// Ctrl-\ r: draw the screen from the model.
    Redraw,
    /// Ctrl-\ q: hang up.
    HangUp,
}

/// Finds our keys among typed bytes.
#[derive(Default)]
pub(super) struct Keys {
    /// The prefix, if it was the last thing typed.
    prefix: Option<&'static [u8]>,
}

impl Keys {
    /// Takes typed bytes apart. Ctrl-\ before any other key than ours is the program's, with that key; twice, it
    /// is the program's once.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            let prefix = PREFIXES.into_iter().find(|prefix| bytes.starts_with(prefix));
            let after = prefix.map_or(rest, |prefix| &bytes[prefix.len()..]);
            match (self.prefix.take(), prefix) {
                (None, Some(prefix)) => self.prefix = Some(prefix),
                (Some(_), Some(prefix)) => type_to(&mut keys, prefix),
                (Some(_), None) if first == b'r' => keys.push(Key::Redraw),
                (Some(_), None) if first == b'q' => keys.push(Key::HangUp),
                (held, None) => {
                    type_to(&mut keys, held.unwrap_or_default());
                    type_to(&mut keys, &[first]);
                }
            }
            bytes = after;
        }
        keys
    }
}

fn type_to(keys: &mut Vec<Key>, bytes: &[u8]) {
    if let Some(Key::Typed(typed)) = keys.last_mut() {
        typed.extend(bytes);
    } else if !bytes.is_empty() {
        keys.push(Key::Typed(bytes.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &[&[u8]], expected: &[Key]) {
        let mut keys = Keys::default();
        let taken: Vec<Key> = typed.iter().flat_map(|bytes| keys.take(bytes)).collect();
        assert_eq!(taken, expected, "{typed:?}");
    }

    fn typed(bytes: &[u8]) -> Key {
        Key::Typed(bytes.to_vec())
    }

    #[test]
    fn ours_are_taken_out_and_the_rest_passes() {
        check(&[b"ls\x1crmore"], &[typed(b"ls"), Key::Redraw, typed(b"more")]);
        check(&[b"\x1c", b"q"], &[Key::HangUp]);
        check(&[b"\xc3\xa9\x1b[A"], &[typed(b"\xc3\xa9\x1b[A")]);
    }

    #[test]
    fn ours_are_known_in_every_keyboard_protocol() {
        for prefix in PREFIXES {
            check(&[prefix, b"r"], &[Key::Redraw]);
            check(&[prefix, prefix, b"r"], &[typed(prefix), typed(b"r")]);
        }
    }

    #[test]
    fn a_prefix_before_another_key_is_the_programs() {
        check(&[b"\x1cx"], &[typed(b"\x1cx")]);
        check(&[b"\x1c", b"\x1b[A"], &[typed(b"\x1c\x1b[A")]);
    }
}
