//! Control strings that carry base64: clipboards, notifications, and the variables and files of iTerm2.

use grammar::StringKind;

use crate::encodings;

/// Enough of a file to tell a text from a picture.
const HEAD: usize = 64;

/// The base64 in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payload<'t> {
    /// Where it begins.
    pub(super) from: usize,
    /// Whether programs write nothing else there. Base64 is not looked at as if it were text.
    pub(super) is_always_base64: bool,
    /// The name that it is the value of, if it has one.
    name: &'t [u8],
    bytes: &'t [u8],
}

/// The payload of a string, if it is of a kind that carries base64.
pub(super) fn payload(kind: StringKind, text: &[u8]) -> Option<Payload<'_>> {
    if kind != StringKind::System {
        return None;
    }
    let number = text.iter().position(|byte| *byte == b';')?;
    let rest = &text[number + 1..];
    let (name, at) = match &text[..number] {
        b"52" => (&b""[..], after(rest, b';')?),
        b"99" => {
            let at = after(rest, b';')?;
            let is_encoded = rest[..at - 1].split(|byte| *byte == b':').any(|part| part == b"e=1");
            is_encoded.then_some((&b""[..], at))?
        }
        b"1337" => in_iterm(rest)?,
        _ => return None,
    };
    let from = number + 1 + at;
    let is_always_base64 =
        text.starts_with(b"52;") || [&b"File"[..], b"MultipartFile"].iter().any(|key| rest.starts_with(key));
    Some(Payload { from, is_always_base64, name, bytes: &text[from..] })
}

/// The name and the beginning of a payload of iTerm2.
fn in_iterm(text: &[u8]) -> Option<(&[u8], usize)> {
    let key = after(text, b'=')?;
    let value = &text[key..];
    match &text[..key - 1] {
        b"SetUserVar" => {
            let at = after(value, b'=')?;
            Some((&value[..at - 1], key + at))
        }
        b"File" | b"MultipartFile" | b"Copy" => Some((b"", key + after(value, b':')?)),
        b"FilePart" | b"SetBadgeFormat" | b"ReportVariable" => Some((b"", key)),
        _ => None,
    }
}

/// The position behind the first `sign`.
fn after(text: &[u8], sign: u8) -> Option<usize> {
    text.iter().position(|byte| *byte == sign).map(|at| at + 1)
}

impl Payload<'_> {
    /// The text that it stands for; none if it is a picture or anything else that is no text. The value of a name comes as
    /// an assignment.
    pub(super) fn text(&self) -> Option<String> {
        let head = encodings::from_base64(&self.bytes[..self.bytes.len().min(HEAD)]);
        if !is_text(&head) {
            return None;
        }
        let bytes = encodings::from_base64(self.bytes);
        let value = String::from_utf8_lossy(&bytes);
        Some(match self.name {
            [] => value.into_owned(),
            name => format!("{}={value}", String::from_utf8_lossy(name)),
        })
    }
}

/// Whether bytes are UTF-8, of which the last character may be cut.
fn is_text(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && !bytes.contains(&0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(string: &str) -> Option<String> {
        payload(StringKind::System, string.as_bytes())?.text()
    }

    #[test]
    fn what_the_base64_stands_for_is_read() {
        for string in [
            "52;c;aGVsbG8=",
            "99;i=1:e=1;aGVsbG8=",
            "1337;File=name=YQ==;inline=0:aGVsbG8=",
            "1337;FilePart=aGVsbG8=",
            "1337;Copy=:aGVsbG8=",
            "1337;SetBadgeFormat=aGVsbG8=",
        ] {
            assert_eq!(text_of(string).as_deref(), Some("hello"), "{string}");
        }
        assert_eq!(text_of("1337;SetUserVar=API_KEY=aGVsbG8=").as_deref(), Some("API_KEY=hello"));
        for string in ["99;i=1;aGVsbG8=", "0;aGVsbG8=", "1337;ClearScrollback", "1337;File=:iVBORw0KGgoAAAAN"]
        {
            assert_eq!(text_of(string), None, "{string}");
        }
    }
}
