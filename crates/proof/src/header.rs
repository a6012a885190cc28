//! The header that binds a request.

use crate::{BodyHash, BondId, Mac, bytes_of, text_of};

/// The scheme of the header `Authorization`.
pub const SCHEME: &str = "Abide-Bond";

/// The longest number, in letters.
const MOST_DIGITS: usize = 20;

/// What a request claims: `Abide-Bond <bond>.<count>.<hash of the body>.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Which bond.
    pub bond: BondId,
    /// The number of the request in it.
    pub count: u64,
    /// The hash of the body.
    pub body: BodyHash,
    /// The code over all of it.
    pub mac: Mac,
}

impl Claim {
    /// Reads what follows the scheme. Each claim has exactly one text.
    pub fn read(text: &str) -> Option<Claim> {
        let mut parts = text.splitn(4, '.');
        let bond = bytes_of(parts.next()?)?;
        let count = number(parts.next()?)?;
        let body = bytes_of(parts.next()?)?;
        let mac = bytes_of(parts.next()?)?;
        Some(Claim { bond, count, body, mac })
    }

    /// The header's value, with the scheme.
    pub fn write(&self) -> String {
        let Claim { bond, count, body, mac } = self;
        format!("{SCHEME} {}.{count}.{}.{}", text_of(bond), text_of(body), text_of(mac))
    }
}

fn number(text: &str) -> Option<u64> {
    let plain = text.len() <= MOST_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = plain.then(|| text.parse().ok())??;
    // Nothing in front: `007` is no number of ours.
    (text == "0" || !text.starts_with('0')).then_some(number)
}
