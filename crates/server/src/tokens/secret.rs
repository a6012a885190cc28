//! A token's text.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::TokenId;
use sha2::{Digest, Sha256};

/// The prefix of every token. People and scanners recognise it.
const PREFIX: &str = "abide_";

/// The number of random bytes: 256 bits.
const BITS_BYTES: usize = 32;

/// Their length as text.
const BITS_LETTERS: usize = 43;

/// The length of a token's text: prefix, id, underscore and bits.
const LETTERS: usize = PREFIX.len() + TokenId::RANDOM_BYTES + 1 + BITS_LETTERS;

/// The text of a token: `abide_`, its id, `_` and 256 random bits. Each token has exactly one text. It is shown once,
/// when the token is made. abide keeps only its hash.
#[derive(Clone)]
pub struct Secret {
    id: TokenId,
    bits: [u8; BITS_BYTES],
}

/// The text is not a token. The error does not repeat it, because it may be almost a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is not a token")]
pub struct NotASecret;

impl Secret {
    /// Makes a new secret.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub(crate) fn random() -> Result<Secret, home::StartError> {
        Ok(Secret { id: TokenId::from_random(home::random_bytes()?), bits: home::random_bytes()? })
    }

    /// The same bits with another id, which the database chose.
    pub(super) fn with_id(self, id: TokenId) -> Secret {
        Secret { id, ..self }
    }

    /// The token's id.
    pub fn id(&self) -> TokenId {
        self.id
    }

    /// The text. The caller is responsible for where the secret goes.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, URL_SAFE_NO_PAD.encode(self.bits))
    }

    /// The hash, which the database keeps.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.bits).into()
    }

    /// Whether these bytes contain the text of a token, valid or not.
    pub(crate) fn is_in(bytes: &[u8]) -> bool {
        bytes
            .windows(LETTERS)
            .any(|window| str::from_utf8(window).is_ok_and(|text| text.parse::<Secret>().is_ok()))
    }
}

impl FromStr for Secret {
    type Err = NotASecret;

    fn from_str(text: &str) -> Result<Secret, NotASecret> {
        let read = || {
            let (id, bits) = text.strip_prefix(PREFIX)?.split_once('_')?;
            // Check the length first, so that a long text is not decoded.
            let bits = (bits.len() == BITS_LETTERS).then(|| URL_SAFE_NO_PAD.decode(bits).ok())??;
            Some(Secret { id: id.parse().ok()?, bits: bits.try_into().ok()? })
        };
        read().ok_or(NotASecret)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn s6_debug_output_does_not_contain_the_secret() {
        let secret = Secret::random().unwrap();
        let text = secret.expose();
        assert_eq!(text.len(), LETTERS);
        assert!(!format!("{secret:?}").contains(&text[LETTERS - BITS_LETTERS..]));
        let again: Secret = text.parse().unwrap();
        assert_eq!((again.id(), again.hash()), (secret.id(), secret.hash()));
    }

    #[test]
    fn a_secret_has_exactly_one_text() {
        let bits = "A".repeat(42);
        assert!(format!("abide_0z0z789a_{bits}A").parse::<Secret>().is_ok());
        for other in [
            format!("abide_0z0z789a_{bits}B"),
            format!("abide_0z0z789a_{bits}"),
            format!("abide_0z0z789a_{bits}A="),
            format!("abide_0z0z789a_{bits}AA"),
            format!("Abide_0z0z789a_{bits}A"),
            format!("abide_0Z0Z789A_{bits}A"),
            format!(" abide_0z0z789a_{bits}A"),
            format!("abide_0z0z789a_{bits}+"),
            String::new(),
        ] {
            assert!(other.parse::<Secret>().is_err(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn parsing_a_secret_and_exposing_it_gives_the_same_text(text in "abide_[0-9a-z]{7,9}_[A-Za-z0-9_=-]{42,44}") {
            if let Ok(secret) = text.parse::<Secret>() {
                prop_assert_eq!(secret.expose(), text.clone());
            }
            prop_assert_eq!(Secret::is_in(format!("x{text}y").as_bytes()) , {
                let around = format!("x{text}y");
                (0..around.len()).any(|from| (from..=around.len()).any(|to| around[from..to].parse::<Secret>().is_ok()))
            });
        }
    }
}
