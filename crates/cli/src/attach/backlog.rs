//! Bytes that the receiver has not taken yet.

use rustix::io::Errno;

/// Bytes on their way to a receiver that takes them when it has room.
#[derive(Default)]
pub(crate) struct Backlog {
    bytes: Vec<u8>,
    /// Bytes at the front that were taken.
    taken: usize,
}

impl Backlog {
    /// Bytes not taken yet.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Whether all was taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where more bytes are appended. Nothing before its end may be touched.
    pub(crate) fn end(&mut self) -> &mut Vec<u8> {
        if self.taken > self.bytes.len() / 2 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        &mut self.bytes
    }

    /// Hands over as much as `take` takes now; it says how much that was.
    pub(crate) fn pass(&mut self, mut take: impl FnMut(&[u8]) -> Result<usize, Errno>) -> Result<(), Errno> {
        while !self.is_empty() {
            match take(&self.bytes[self.taken..])? {
                0 => return Ok(()),
                taken => self.taken += taken,
            }
        }
        self.bytes.clear();
        self.taken = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_handed_over_once_and_in_order() {
        let mut backlog = Backlog::default();
        let mut taken: Vec<u8> = Vec::new();
        let sent: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        for (turn, part) in sent.chunks(700).enumerate() {
            backlog.end().extend(part);
            // Room for a different number of bytes each time, and then none.
            let mut room = [300, 0, 900][turn % 3];
            backlog
                .pass(|bytes| {
                    let length = bytes.len().min(room);
                    taken.extend(&bytes[..length]);
                    room -= length;
                    Ok(length)
                })
                .unwrap();
            assert_eq!(taken.len() + backlog.len(), (turn * 700 + part.len()));
        }
        backlog
            .pass(|bytes| {
                taken.extend(bytes);
                Ok(bytes.len())
            })
            .unwrap();
        assert!(backlog.is_empty() && taken == sent);
    }
}
