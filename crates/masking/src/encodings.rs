//! The forms in which programs write a value.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// All forms of a value that differ from it, each once. Base64 comes without the characters that depend on what
/// stands beside the value.
pub(crate) fn encoded(value: &str) -> (Vec<String>, Vec<String>) {
    let bytes = value.as_bytes();
    let mut plain = vec![
        percent(bytes, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)),
        percent(bytes, |byte| byte.is_ascii_graphic() && !b"\"%<>\\^`{|}#?".contains(&byte)),
        hex(bytes),
        hex(bytes).to_ascii_uppercase(),
        json(value, false),
        json(value, true),
    ];
    plain.push(plain[0].replace("%20", "+"));
    let lower = lower_percent(&plain[0]);
    plain.push(lower);
    plain.sort();
    plain.dedup();
    plain.retain(|form| form != value);

    let mut base64: Vec<String> = [STANDARD, FOR_URLS]
        .iter()
        .flat_map(|alphabet| (0..3).map(|shift| aligned(bytes, shift, alphabet)))
        .collect();
    base64.sort();
    base64.dedup();
    (plain, base64)
}

fn percent(bytes: &[u8], stays: impl Fn(u8) -> bool) -> String {
    let mut out = String::new();
    for &byte in bytes {
        if stays(byte) { out.push(byte as char) } else { out.push_str(&format!("%{byte:02X}")) }
    }
    out
}

/// The same with small letters in the escapes.
fn lower_percent(encoded: &str) -> String {
    let mut out = String::with_capacity(encoded.len());
    let mut escape = 0;
    for c in encoded.chars() {
        out.push(if escape > 0 { c.to_ascii_lowercase() } else { c });
        escape = if c == '%' { 2 } else { i32::max(escape - 1, 0) };
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As in a JSON string; with `ascii`, other characters are escaped, too.
fn json(value: &str, ascii: bool) -> String {
    let mut out = String::new();
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || ascii && !c.is_ascii() => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Base64 of a value that begins `shift` bytes into a group of three: the characters that it alone decides.
fn aligned(bytes: &[u8], shift: usize, alphabet: &[u8; 64]) -> String {
    let shifted: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
    let whole = shifted.len() * 8 / 6;
    let first = (shift * 8).div_ceil(6);
    let sextet = |index: usize| {
        let bit = index * 6;
        let pair =
            u16::from(shifted[bit / 8]) << 8 | u16::from(shifted.get(bit / 8 + 1).copied().unwrap_or(0));
        usize::from(pair >> (10 - bit % 8) & 63)
    };
    (first..whole).map(|index| alphabet[sextet(index)] as char).collect()
}

/// The bytes that base64 stands for, in either alphabet, up to the first character that is neither.
pub(crate) fn from_base64(text: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3), 0u32, 0);
    for &byte in text {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(sextet);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base64 of whole texts, by way of the part that we look for.
    fn whole(text: &str) -> String {
        aligned(text.as_bytes(), 0, STANDARD)
    }

    #[test]
    fn a_value_is_found_in_base64_with_any_text_around_it() {
        let (_, base64) = encoded("hunter2-é/?");
        for before in ["", "a", "ab", "user:"] {
            for after in ["", "x", "xy", ":more"] {
                let text = whole(&format!("{before}hunter2-é/?{after}"));
                assert!(
                    base64.iter().any(|part| text.contains(part.as_str())),
                    "{text} has none of {base64:?}"
                );
            }
        }
    }

    #[test]
    fn base64_is_read_in_both_alphabets() {
        assert_eq!(from_base64(b"aHVudGVyMg=="), b"hunter2");
        assert_eq!(from_base64(b"-_-_"), from_base64(b"+/+/"));
    }

    #[test]
    fn a_value_is_known_in_the_forms_that_programs_write() {
        let (plain, _) = encoded("a b/\"é");
        for form in [
            "a%20b%2F%22%C3%A9",
            "a%20b%2f%22%c3%a9",
            "a+b%2F%22%C3%A9",
            "6120622f22c3a9",
            "a b/\\\"é",
            "a b/\\\"\\u00e9",
        ] {
            assert!(plain.iter().any(|known| known == form), "{form} is not in {plain:?}");
        }
    }
}
