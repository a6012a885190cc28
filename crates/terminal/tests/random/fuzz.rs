//! What the fuzz target does with its input.

use crate::laws::{Failure, LAWS};
use crate::life::ScriptedTerminal;

/// Judges a life written down in bytes: eight for its seed, the rest is its output.
///
/// # Panics
///
/// When a law is broken.
pub(crate) fn check(bytes: &[u8]) {
    let (seed, output) = bytes.split_first_chunk().unwrap_or((&[0; 8], bytes));
    let life = ScriptedTerminal::new(u64::from_le_bytes(*seed), output.to_vec());
    for law in LAWS {
        if let Err(Failure::Broken(broken)) = law(&life) {
            panic!("{life}\n{broken}");
        }
    }
}
