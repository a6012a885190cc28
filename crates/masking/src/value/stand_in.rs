//! Texts in the place of a secret: references, placeholders, masks.

use std::ops::Range;

use super::code::is_closed;
use super::name::{Name, Way};
use super::words::{ORDINARY, is_in, is_word};
use crate::path::is_path;

/// References and stand-ins: `$VAR`, `<token>`, `***`, `xxxx`, `{{ … }}`, `%(name)s`, a path, `your-token`.
pub(super) fn is_stand_in(line: &[u8], value: &Range<usize>, quoted: bool, name: &Name<'_>) -> bool {
    let text = &line[value.clone()];
    let same = text.iter().all(|byte| byte == &text[0]);
    let foreign = text.iter().all(|byte| *byte >= 0x80);
    let stars = text.iter().filter(|byte| b"*xX.".contains(byte)).count();
    let masked = text[0] == b'*' && text[text.len().min(3) - 1] == b'*';
    let color = text[0] == b'#' && text.len() <= 9 && text[1..].iter().all(u8::is_ascii_hexdigit);
    let yours = text.len() > 4 && text[..4].eq_ignore_ascii_case(b"your") && is_word(text);
    // As frameworks say what a field has to be.
    let rules = text.contains(&b'|')
        && text.split(|byte| *byte == b'|').next().is_some_and(|word| is_in(ORDINARY, word));
    let pattern = text.starts_with(b"/^");
    same || foreign
        || masked
        || color
        || yours
        || rules
        || pattern
        || is_path(text)
        || stars == text.len()
        || match text[0] {
            b'$' => refers(&text[1..]),
            b'%' => formats(&text[1..]),
            b'<' if quoted => text.ends_with(b">"),
            b'<' => text[1].is_ascii_alphabetic(),
            open @ (b'{' | b'[' | b'(') if quoted => {
                is_closed(open, &text[1..]) && (open == b'{' || is_word(&text[1..text.len() - 1]))
            }
            open @ (b'{' | b'[' | b'(') => {
                name.way != Way::Equals || is_closed(open, &line[value.start + 1..])
            }
            // Another value of a query, so this one is empty.
            b'&' if name.way == Way::Equals => text[1..].contains(&b'='),
            b'&' => !quoted,
            _ => false,
        }
}

/// What comes after `$`: a name and nothing else, or what can hardly be anything but code.
fn refers(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (name, rest) = text.split_at(name);
    let is_upper = name.len() > 1 && name.iter().all(|byte| !byte.is_ascii_lowercase());
    match (name, rest) {
        ([], _) => rest.starts_with(b"{") || rest.starts_with(b"("),
        ([b'0'..=b'9', ..], _) => false,
        (_, [] | [b'-', b'>', ..] | [b'[', ..] | [b':', b':', ..]) => true,
        (_, [b':' | b'.', next, ..]) => is_upper || next.is_ascii_alphabetic(),
        _ => is_upper && b"/,;)}|&@\"'".contains(&rest[0]),
    }
}

/// What comes after `%`: `(name)s`, `{name}`, `NAME%`, `-20s`.
fn formats(text: &[u8]) -> bool {
    let flags = text.iter().take_while(|byte| b"0123456789-+.#".contains(byte)).count();
    matches!(text, [b'(' | b'{', ..])
        || text.len() > 1
            && text.ends_with(b"%")
            && text[..text.len() - 1].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        || text.len() - flags <= 2 && text[flags..].iter().all(u8::is_ascii_lowercase)
}
