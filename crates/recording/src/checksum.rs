//! The checksum at the end of a head and of every block.

/// A CRC-32, as in zip and PNG, little-endian.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// The checksum of these parts, one after the other.
pub(crate) fn checksum(parts: &[&[u8]]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().to_le_bytes()
}
