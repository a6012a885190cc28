//! Escape sequences: `ESC … final`.

use crate::verdict::Verdict;

/// ASCII in the first place and shifted in: what the model does when a program chooses a coding.
const PLAIN_CHARSET: &[u8] = b"\x0f\x1b(B";

/// Judges what follows the ESC.
pub(crate) fn judge(body: &[u8]) -> Verdict {
    match body {
        // Cursor, tab stop, keypad, character sets.
        [b'7' | b'8' | b'D' | b'E' | b'H' | b'M' | b'=' | b'>' | b'n' | b'o' | b'|' | b'}' | b'~'] => {
            Verdict::Pass
        }
        [b'(' | b')' | b'*' | b'+' | b'-' | b'.', _] => Verdict::Pass,
        // The screen full of E.
        b"#8" => Verdict::Pass,
        b"c" => Verdict::Redraw,
        // In another coding than UTF-8, characters would turn into controls.
        b"%G" | b"%@" => Verdict::Replace(PLAIN_CHARSET.to_vec()),
        // What asks (`ESC Z`), changes how keys are sent (`ESC SP G`), swallows text (`ESC k`), or is unknown to the
        // model.
        _ => Verdict::Drop,
    }
}
