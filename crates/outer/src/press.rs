//! Keys as terminals send them: plainly, in kitty's keyboard protocol, and with modifyOtherKeys.

/// Bits of a modifier number less one.
const CONTROL: u32 = 4;
/// Caps lock and num lock, which change nothing about a key that is no text.
const LOCKS: u32 = 64 | 128;

/// The kind of event that kitty's protocol reports when a key is let go.
const RELEASE: u32 = 3;

/// Keys that are modifiers or locks by themselves, as kitty's protocol numbers them.
const MODIFIER_KEYS: [std::ops::RangeInclusive<u32>; 2] = [57358..=57360, 57441..=57454];

/// What the first bytes of typed input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    /// The key of this character, and the control key with it.
    Control(char),
    /// The key of this character alone.
    Plain(char),
    /// No press of a key: one let go, or a modifier by itself.
    Aside,
    /// Anything else.
    Other,
}

/// What these bytes, of which there is at least one, begin with; and how many of them that is.
pub(crate) fn first(bytes: &[u8]) -> (usize, Press) {
    sequence(bytes).unwrap_or_else(|| (1, plain(bytes[0])))
}

fn plain(byte: u8) -> Press {
    match byte {
        1..=26 => Press::Control(char::from(byte - 1 + b'a')),
        0 | 0x1c..=0x1f => Press::Control(char::from(byte | 0x40)),
        b' '..=b'~' => Press::Plain(char::from(byte)),
        _ => Press::Other,
    }
}

/// `CSI code ; modifiers : event u`, where each number may have others after a colon, or
/// `CSI 27 ; modifiers ; code ~`.
fn sequence(bytes: &[u8]) -> Option<(usize, Press)> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let end = body.iter().position(|byte| !matches!(byte, b'0'..=b';'))?;
    let numbers: Vec<Vec<Option<u32>>> = body[..end]
        .split(|&byte| byte == b';')
        .map(|item| item.split(|&byte| byte == b':').map(number).collect())
        .collect();
    let at =
        |item: usize, part: usize| numbers.get(item).and_then(|parts| parts.get(part).copied().flatten());
    let press = match body[end] {
        b'u' => press(at(0, 0)?, at(1, 0).unwrap_or(1), at(1, 1).unwrap_or(1)),
        b'~' if at(0, 0) == Some(27) => press(at(2, 0)?, at(1, 0)?, 1),
        _ => return None,
    };
    Some((b"\x1b[".len() + end + 1, press))
}

fn number(digits: &[u8]) -> Option<u32> {
    str::from_utf8(digits).ok()?.parse().ok()
}

fn press(code: u32, modifiers: u32, event: u32) -> Press {
    if event == RELEASE || MODIFIER_KEYS.iter().any(|keys| keys.contains(&code)) {
        return Press::Aside;
    }
    match (char::from_u32(code), modifiers.saturating_sub(1) & !LOCKS) {
        (Some(key), CONTROL) => Press::Control(key),
        (Some(key), 0) => Press::Plain(key),
        _ => Press::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_recognised_in_every_keyboard_protocol() {
        for bytes in [
            &b"\x1c"[..],
            b"\x1b[92;5u",
            b"\x1b[92;133u",
            b"\x1b[92;5:1u",
            b"\x1b[92::223;5:2u",
            b"\x1b[27;5;92~",
        ] {
            assert_eq!(first(bytes), (bytes.len(), Press::Control('\\')), "{}", bytes.escape_ascii());
        }
        for bytes in [&b"d"[..], b"\x1b[100u", b"\x1b[100;129u", b"\x1b[100;1:1;100u"] {
            assert_eq!(first(bytes), (bytes.len(), Press::Plain('d')), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_key_let_go_and_a_modifier_alone_are_no_press() {
        for bytes in [&b"\x1b[92;5:3u"[..], b"\x1b[57442;5u", b"\x1b[57442;5:3u"] {
            assert_eq!(first(bytes), (bytes.len(), Press::Aside), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn other_bytes_pass_one_by_one() {
        for bytes in [&b"\x1b[A"[..], b"\x1b[?1u", b"\x1b[", b"\x1b", b"\x1b[3~", b"\xc3\xa9", b"\x1b[u"] {
            assert_eq!(first(bytes), (1, Press::Other), "{}", bytes.escape_ascii());
        }
    }
}
