//! Frames: a type, a length, a payload.

use thiserror::Error;

/// A frame's type and the length of its payload.
pub const HEADER_BYTES: usize = 5;

/// The longest payload. A peer that announces a longer one does not speak this protocol.
pub const MAX_PAYLOAD_BYTES: usize = 1 << 20;

/// One frame, as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What the payload is.
    pub kind: u8,
    /// The payload.
    pub payload: &'a [u8],
}

impl Frame<'_> {
    /// Appends the frame's bytes.
    pub fn write(self, out: &mut Vec<u8>) {
        out.push(self.kind);
        out.extend((self.payload.len() as u32).to_le_bytes());
        out.extend(self.payload);
    }
}

/// Why a stream of bytes is not a stream of frames.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The payload is longer than any may be.
    #[error(
        "a frame of type {kind:#04x} announces {length} bytes, more than the allowed {MAX_PAYLOAD_BYTES}"
    )]
    TooLong {
        /// The frame's type.
        kind: u8,
        /// The length it announces.
        length: u32,
    },
}

/// Splits a stream of bytes into frames. The stream may arrive in any pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// Bytes at the front that were handed out.
    taken: usize,
}

impl Decoder {
    /// Takes in bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.forget_taken();
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame, or `None` if its bytes have not all arrived.
    ///
    /// # Errors
    ///
    /// When the stream is not a stream of frames. Then no later byte can be understood.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let rest = &self.bytes[self.taken..];
        let Some((header, rest)) = rest.split_at_checked(HEADER_BYTES) else { return Ok(None) };
        let kind = header[0];
        let length = u32::from_le_bytes([header[1], header[2], header[3], header[4]]);
        if length as usize > MAX_PAYLOAD_BYTES {
            return Err(FrameError::TooLong { kind, length });
        }
        let Some(payload) = rest.get(..length as usize) else { return Ok(None) };
        self.taken += HEADER_BYTES + payload.len();
        Ok(Some(Frame { kind, payload }))
    }

    /// Bytes that came and are no whole frame yet.
    pub fn unfinished(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    fn forget_taken(&mut self) {
        if self.taken == self.bytes.len() {
            self.bytes.clear();
        } else if self.taken > 0 {
            self.bytes.drain(..self.taken);
        }
        self.taken = 0;
        // A long frame is rare, and a host with many idle viewers should not keep room for each.
        if self.bytes.is_empty() && self.bytes.capacity() > 64 << 10 {
            self.bytes = Vec::new();
        }
    }
}
