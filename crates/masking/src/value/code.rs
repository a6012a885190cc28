//! What is assigned in source code: calls, other names and types.

use std::ops::Range;

use super::name::{Name, Way};
use super::words::{ORDINARY, is_in, last_part};
use crate::columns::BLANK;

/// What joins names in source code.
const JOINTS: [&[u8]; 4] = [b".", b"::", b"?.", b"->"];

/// Where programs find their settings.
const REACHED: [&[u8]; 7] =
    [b"process.env", b"os.environ", b"env.", b"self.", b"this.", b"import.meta", b"config."];

/// Whether a value without quotes is source code rather than text. Where settings are assigned, as to `UPPER_CASE`
/// names and in `name=value`, only what can hardly be anything else is.
pub(super) fn is_code(line: &[u8], value: &Range<usize>, name: &Name<'_>) -> bool {
    let text = &line[value.clone()];
    let is_setting = name.way == Way::Equals;
    if is_setting && name.is_upper {
        return false;
    }
    let path = Path::read(text);
    let is_whole = path.end == text.len();
    let sure = REACHED.iter().any(|start| text.starts_with(start)) || path.is_called(line, value.start);
    let refers = is_whole && {
        let last = last_part(path.last);
        let is_own = last.eq_ignore_ascii_case(name.last_part());
        (is_own || path.names > 1 && is_in(ORDINARY, last)) && last.len() < text.len()
    };
    let joined = is_whole && path.letters && path.names > 1;
    let one_name = is_whole && path.letters && path.names == 1;
    let named =
        one_name && !name.is_upper && (text.contains(&b'_') || is_type(text, &line[value.end..], name));
    sure || refers || !is_setting && (joined || named)
}

/// Names with joints between them, at the beginning of a text.
struct Path<'t> {
    text: &'t [u8],
    end: usize,
    names: usize,
    last: &'t [u8],
    /// Letters and underscores alone.
    letters: bool,
}

impl Path<'_> {
    fn read(text: &[u8]) -> Path<'_> {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
        let mut path = Path { text, end: 0, names: 0, last: b"", letters: true };
        loop {
            let len = text[path.end..].iter().take_while(|byte| is_name(byte)).count();
            path.last = &text[path.end..path.end + len];
            path.letters &= path.last.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            path.end += len;
            path.names += usize::from(len > 0);
            let rest = &text[path.end..];
            match JOINTS.iter().find(|joint| len > 0 && rest.starts_with(joint)) {
                Some(joint) if rest.len() > joint.len() => path.end += joint.len(),
                _ => return path,
            }
        }
    }

    /// Whether brackets follow that are closed again, or at least end the line. `at` is where the text begins.
    fn is_called(&self, line: &[u8], at: usize) -> bool {
        let macros = usize::from(self.text.get(self.end) == Some(&b'!'));
        let Some(open) = self.text.get(self.end + macros) else { return false };
        self.names > 0
            && (macros == 0 || *open != b'<')
            && is_closed(*open, &line[at + self.end + macros + 1..])
    }
}

/// Whether a bracket is closed in the rest of its line, or has nothing behind it.
pub(super) fn is_closed(open: u8, rest: &[u8]) -> bool {
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        _ => return false,
    };
    rest.contains(&close) || rest.iter().all(|byte| *byte == BLANK || b"([{<".contains(byte))
}

/// The name of a type: `SecretStr`, and `Secret` where code goes on behind it, or where it describes an option.
fn is_type(text: &[u8], after: &[u8], name: &Name<'_>) -> bool {
    let mut humps = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let capitals = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let small = rest[capitals..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        if capitals == 0 || small < 2 {
            return false;
        }
        humps += 1;
        rest = &rest[capitals + small..];
    }
    let next = after.iter().find(|byte| **byte != BLANK);
    let goes_on = next.is_some_and(|next| b",;)=|{}>".contains(next));
    match name.way {
        Way::Flag => name.is_set_apart(),
        _ => humps > 1 || goes_on,
    }
}
