//! Bytes as text, in JSON and headers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Base64 with `-` and `_` and without `=`.
pub fn text_of(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text, if there are exactly `N`. Each value has exactly one text.
pub fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    // Check the length first, so that a long text is not decoded.
    if text.len() != (N * 4).div_ceil(3) {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_exactly_one_text() {
        assert_eq!(text_of(&[0xfb, 0xff]), "-_8");
        assert_eq!(bytes_of::<2>("-_8"), Some([0xfb, 0xff]));
        for other in ["-_9", "-_8=", "+/8", "-_", "-_8A", " -_8", ""] {
            assert_eq!(bytes_of::<2>(other), None, "{other}");
        }
    }
}
