//! Removes device replies from a client's input.
//!
//! A host answers its program's questions itself, and clients get output without questions. But a client's emulator may
//! still send an answer. The program would then read a second answer, or an answer to a question that another terminal
//! got. So this module removes sequences that can only be replies:
//!
//! - device attributes: `CSI ? … c`, `CSI > … c`, `CSI = … c`, `DCS ! | … ST`
//! - status and cursor reports: `CSI … n`, `CSI ? … n`, `CSI row ; col R`, `CSI ? … R`
//! - modes, keyboard, graphics and settings: `CSI … $ y`, `CSI ? … u`, `CSI > … m`, `CSI ? … S`, `CSI … x`,
//!   `DCS … $ r … ST`, `DCS … + r … ST`, `DCS > | … ST`, `DCS … ! ~ … ST`
//! - the window: `CSI … t`
//! - colours and everything else that is asked by OSC: `OSC number ; … ST`; answers of kitty graphics: `APC G … ST`
//!
//! A cursor report in the first row looks like a key: `CSI 1 ; 2 R` is also Shift-F3. Clients get no question for the
//! cursor, but people press keys. So `CSI 1 ; m R` with a modifier's number, 2 to 16, counts as the key and passes.
//!
//! All other bytes pass unchanged. Bytes that could still become a reply wait for the rest. If the rest does not come
//! soon, the bytes were a key (Escape, or Alt with a letter) and are [released](Replies::release).

/// The longest reply.
const MOST_BYTES: usize = 4096;

/// The numbers of modifiers in `CSI 1 ; m R`: one, plus the values of Shift, Alt, Ctrl and Meta.
const MODIFIERS: std::ops::RangeInclusive<u32> = 2..=16;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// Removes device replies from input that may be cut anywhere.
#[derive(Debug, Default)]
pub struct Replies {
    /// Bytes that could become a reply. They begin with ESC.
    held: Vec<u8>,
}

/// The start of bytes that begin with ESC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// A reply of so many bytes.
    Reply(usize),
    /// So many bytes that are not part of a reply.
    Typed(usize),
    /// Not decided yet.
    Unfinished,
}

impl Replies {
    /// Takes input, and returns the bytes for the program.
    pub fn pass(&mut self, typed: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(typed);
        let mut passed = Vec::with_capacity(bytes.len());
        let mut rest = &bytes[..];
        while let Some(escape) = rest.iter().position(|&byte| byte == ESC) {
            passed.extend_from_slice(&rest[..escape]);
            rest = &rest[escape..];
            match begin(rest) {
                Begin::Reply(length) => rest = &rest[length..],
                Begin::Typed(length) => {
                    passed.extend_from_slice(&rest[..length]);
                    rest = &rest[length..];
                }
                Begin::Unfinished => {
                    self.held = rest.to_vec();
                    return passed;
                }
            }
        }
        passed.extend_from_slice(rest);
        passed
    }

    /// Whether bytes wait for the rest of a reply.
    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the waiting bytes, because no rest came.
    pub fn release(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

/// Classifies bytes that begin with ESC.
fn begin(bytes: &[u8]) -> Begin {
    let begin = match bytes.get(1) {
        None => Begin::Unfinished,
        Some(b'[') => control_sequence(bytes),
        Some(b']') => string(bytes, is_command_head, true),
        Some(b'P') => string(bytes, is_device_head, false),
        Some(b'_') => string(bytes, |head| head.first().map(|&first| first == b'G'), false),
        // Only the ESC. The next byte may be an ESC that begins another sequence.
        Some(_) => Begin::Typed(1),
    };
    match begin {
        Begin::Unfinished if bytes.len() > MOST_BYTES => Begin::Typed(bytes.len()),
        begin => begin,
    }
}

fn control_sequence(bytes: &[u8]) -> Begin {
    let body = &bytes[2..];
    let Some(end) = body.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return Begin::Unfinished;
    };
    let length = end + 3;
    match body[end] {
        last @ 0x40..=0x7e if is_report(&body[..end], last) => Begin::Reply(length),
        0x40..=0x7e => Begin::Typed(length),
        // The sequence ends before this byte, which cannot be part of it.
        _ => Begin::Typed(length - 1),
    }
}

/// Whether a control sequence is a reply, and not a key, click or focus change.
fn is_report(head: &[u8], last: u8) -> bool {
    let (prefix, numbers) = match head {
        [prefix @ b'<'..=b'?', numbers @ ..] => (*prefix, numbers),
        numbers => (0, numbers),
    };
    match (prefix, last) {
        (b'?' | b'>' | b'=', b'c') => true,
        (0 | b'?', b'n' | b't' | b'x') => true,
        (0 | b'?', b'y') => numbers.ends_with(b"$"),
        (b'?', b'R' | b'S' | b'u') => true,
        (b'>', b'm') => true,
        (0, b'R') => is_place(numbers),
        _ => false,
    }
}

/// Whether the numbers of `CSI … R` are a position on the screen, and not those of a key.
fn is_place(numbers: &[u8]) -> bool {
    let number = |digits: &[u8]| str::from_utf8(digits).ok()?.parse::<u32>().ok();
    let mut items = numbers.split(|&byte| byte == b';').map(number);
    match (items.next(), items.next(), items.next()) {
        (Some(Some(1)), Some(Some(col)), None) => !MODIFIERS.contains(&col),
        (Some(Some(_)), Some(Some(_)), None) => true,
        _ => false,
    }
}

/// Classifies a string with its terminator. `is_head` says whether the bytes after the introducer begin a reply. None
/// means that more bytes are needed.
fn string(bytes: &[u8], is_head: impl Fn(&[u8]) -> Option<bool>, ends_with_bell: bool) -> Begin {
    let body = &bytes[2..];
    let end = body.iter().position(|&byte| byte < 0x20 || byte == 0x7f);
    match is_head(&body[..end.unwrap_or(body.len())]) {
        // A key. Only the key passes here, because the next bytes may be anything.
        Some(false) => return Begin::Typed(2),
        None if end.is_some() => return Begin::Typed(2),
        None | Some(true) => {}
    }
    let Some(end) = end else { return Begin::Unfinished };
    match &body[end..] {
        [BEL, ..] if ends_with_bell => Begin::Reply(end + 3),
        [ESC, b'\\', ..] => Begin::Reply(end + 4),
        [ESC] => Begin::Unfinished,
        _ => Begin::Typed(2),
    }
}

/// Whether an operating-system command begins with its number.
fn is_command_head(head: &[u8]) -> Option<bool> {
    let digits = head.iter().take_while(|byte| byte.is_ascii_digit()).count();
    head.get(digits).map(|byte| digits > 0 && *byte == b';')
}

/// Whether a device-control string begins like a reply: numbers, a mark and the letter for that mark.
fn is_device_head(head: &[u8]) -> Option<bool> {
    let numbers = head.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    match &head[numbers..] {
        [] => None,
        [b'>' | b'!' | b'$' | b'+'] => None,
        [b'>', b'|', ..] | [b'!', b'|' | b'~', ..] | [b'$' | b'+', b'r', ..] => Some(true),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use testkit::Random;

    use super::*;

    /// The bytes that pass of input in these pieces, and whether bytes still wait.
    fn passed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, bool) {
        let mut replies = Replies::default();
        let passed = pieces.into_iter().flat_map(|piece| replies.pass(piece)).collect();
        (passed, replies.is_waiting())
    }

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        for piece in [typed.len(), 1, 2, 3] {
            let (passed, waits) = passed(typed.as_bytes().chunks(piece));
            assert_eq!(
                (String::from_utf8_lossy(&passed).as_ref(), waits),
                (expected, false),
                "in pieces of {piece}"
            );
        }
    }

    #[test]
    fn s15_device_replies_are_removed_from_the_input() {
        for reply in [
            "\x1b[?1;2c",
            "\x1b[?62;4;22c",
            "\x1b[>0;276;0c",
            "\x1b[=1c",
            "\x1b[0n",
            "\x1b[3n",
            "\x1b[?10n",
            "\x1b[?997;1n",
            "\x1b[24;80R",
            "\x1b[1;1R",
            "\x1b[1;17R",
            "\x1b[2;2R",
            "\x1b[?1;1R",
            "\x1b[?24;80;1R",
            "\x1b[?2026;2$y",
            "\x1b[4;2$y",
            "\x1b[?1u",
            "\x1b[>4;2m",
            "\x1b[?2;0;800;600S",
            "\x1b[2;1;1;112;112;1;0x",
            "\x1b[8;24;80t",
            "\x1b[4;600;800t",
            "\x1b[48;24;80;600;800t",
            "\x1bP!|00000000\x1b\\",
            "\x1bP>|xterm.js(5.5.0)\x1b\\",
            "\x1bP1$r0m\x1b\\",
            "\x1bP0$r\x1b\\",
            "\x1bP1+r544e=787465726d\x1b\\",
            "\x1bP1!~1234\x1b\\",
            "\x1b]10;rgb:ffff/ffff/ffff\x07",
            "\x1b]11;rgb:0000/0000/0000\x1b\\",
            "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\",
            "\x1b]52;c;aGVsbG8=\x07",
            "\x1b_Gi=31;OK\x1b\\",
        ] {
            check(&format!("a{reply}b"), "ab");
            check(&format!("{reply}{reply}\x1b[A"), "\x1b[A");
        }
    }

    #[test]
    fn keys_clicks_and_pastes_pass_byte_for_byte() {
        for typed in [
            "plain text, grün 漢字 👍 \r\t\x03\x7f",
            "\x1b[A\x1b[1;5C\x1bOA\x1bOR\x1b[H\x1b[5~\x1b[15;2~\x1b[Z\x1b[I\x1b[O",
            // F3 with modifiers, and F4, whose letter is also in a graphics reply.
            "\x1b[1;2R\x1b[1;3R\x1b[1;5R\x1b[1;8R\x1b[1;16R\x1b[R\x1b[13~\x1b[1;2S",
            "\x1b[97;5u\x1b[57441;2:3u\x1b[13;2u\x1b[27;5;13~",
            "\x1b[<0;10;5M\x1b[<0;10;5m\x1b[M !!\x1b[32;10;5M",
            "\x1b[200~pasted\rtext\x1b[201~",
            "\x1bb\x1bf\x1b\x7f\x1b\x1b[A\x1b.",
            // Alt with letters that begin strings, and keys after them.
            "\x1b]x\x1bPx\x1b_x\x1b^x\x1bXx",
            "\x1b]\rls\r",
            "\x1bPq\x1b\\",
            "\x1b]nothing;\x07",
            "\x1b_hello\x1b\\",
            "\x1b[\r",
        ] {
            check(typed, typed);
        }
    }

    #[test]
    fn a_key_that_could_begin_a_reply_waits_until_it_is_released() {
        for typed in ["\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b[1;2", "\x1b]11;rgb", "\x1bP1$"] {
            let mut replies = Replies::default();
            assert_eq!(replies.pass(typed.as_bytes()), b"", "{typed:?}");
            assert!(replies.is_waiting());
            assert_eq!(replies.release(), typed.as_bytes());
            assert!(!replies.is_waiting());
        }
    }

    #[test]
    fn s25_the_number_of_waiting_bytes_is_bounded() {
        let mut replies = Replies::default();
        let endless = [b"\x1b]11;".to_vec(), vec![b'x'; 10 * MOST_BYTES]].concat();
        let passed: Vec<u8> = endless.chunks(100).flat_map(|piece| replies.pass(piece)).collect();
        assert_eq!(passed, endless);
    }

    proptest! {
        #[test]
        fn any_split_of_the_input_passes_the_same_bytes(
            letters in prop::collection::vec(prop::sample::select(&b"\x1b\x1b[[]P_\\;;?>$!+|r012RcnyG\x07a\r"[..]), 0..60),
            seed: u64,
        ) {
            let mut random = Random::new(seed);
            let mut pieces = Vec::new();
            let mut rest = &letters[..];
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(random.between(1, 4).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(passed(pieces), passed([&letters[..]]));
        }

        #[test]
        fn text_without_an_escape_passes_unchanged(text in "[^\u{1b}]*") {
            prop_assert_eq!(passed([text.as_bytes()]), (text.into_bytes(), false));
        }
    }
}
