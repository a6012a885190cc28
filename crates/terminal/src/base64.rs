//! Base64, as some control strings carry their text.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// Programs leave padding out, and some leave bits in the last digit that stand for nothing.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// The digits, with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// The bytes, or nothing if it is not base64. Padding may be missing.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    ENGINE.decode(text.trim_end_matches('=')).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn decodes_every_length() {
        for (text, expected) in [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWI", "ab"), ("YWJj", "abc")] {
            assert_eq!(decode(text).as_deref(), Some(expected.as_bytes()), "{text}");
            assert_eq!(decode(&encode(expected.as_bytes())).as_deref(), Some(expected.as_bytes()));
        }
        assert_eq!(encode(b"a"), "YQ==");
        assert_eq!(decode("YR").as_deref(), Some(&b"a"[..]), "a bit too many");
        assert_eq!(decode("Y"), None);
        assert_eq!(decode("Y!=="), None);
    }
}
