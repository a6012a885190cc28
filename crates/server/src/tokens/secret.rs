//! A token's text.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::TokenId;
use sha2::{Digest, Sha256};

/// Begins every token, so that people and scanners know one when they see one.
const PREFIX: &str = "abide_";

/// 256 bits.
const BITS_BYTES: usize = 32;

/// How many letters those take.
const BITS_LETTERS: usize = 43;

/// The prefix, the id, a line and the bits.
const LETTERS: usize = PREFIX.len() + TokenId::RANDOM_BYTES + 1 + BITS_LETTERS;

/// A token as its holder has it: `abide_`, its id, `_` and 256 random bits. There is one way to write it. It is shown
/// when it is made and never again: what we keep is its hash.
#[derive(Clone)]
pub struct Secret {
    id: TokenId,
    bits: [u8; BITS_BYTES],
}

/// A text is no token's. It is not repeated here, since it may nearly be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is not a token")]
pub struct NotASecret;

impl Secret {
    /// A new one.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub(crate) fn random() -> Result<Secret, home::StartError> {
        Ok(Secret { id: TokenId::from_random(home::random_bytes()?), bits: home::random_bytes()? })
    }

    /// The same bits as the text of a token whose id somebody else has chosen.
    pub(super) fn with_id(self, id: TokenId) -> Secret {
        Secret { id, ..self }
    }

    /// Which token it is the text of.
    pub fn id(&self) -> TokenId {
        self.id
    }

    /// The text. Whoever calls this says where a secret goes.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, URL_SAFE_NO_PAD.encode(self.bits))
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.bits).into()
    }

    /// Whether a token's text is anywhere in these bytes, right or wrong.
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
            // A longer text would be decoded whole before it is found to be too long.
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
    fn s6_a_secret_shows_itself_only_when_asked() {
        let secret = Secret::random().unwrap();
        let text = secret.expose();
        assert_eq!(text.len(), LETTERS);
        assert!(!format!("{secret:?}").contains(&text[LETTERS - BITS_LETTERS..]));
        let again: Secret = text.parse().unwrap();
        assert_eq!((again.id(), again.hash()), (secret.id(), secret.hash()));
    }

    #[test]
    fn a_secret_is_written_one_way() {
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
        fn any_text_that_is_a_secret_is_the_one_it_exposes(text in "abide_[0-9a-z]{7,9}_[A-Za-z0-9_=-]{42,44}") {
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
