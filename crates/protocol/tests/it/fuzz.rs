//! What the fuzz targets do with their input, and the same on inputs of our own.

use protocol::{Decoder, Frame, FrameError, HEADER_BYTES, HostMessage, MAX_PAYLOAD_BYTES, ViewerMessage};

/// A frame that outlives its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnedFrame {
    kind: u8,
    payload: Vec<u8>,
}

impl OwnedFrame {
    pub(crate) fn as_frame(&self) -> Frame<'_> {
        Frame { kind: self.kind, payload: &self.payload }
    }
}

impl From<Frame<'_>> for OwnedFrame {
    fn from(frame: Frame<'_>) -> OwnedFrame {
        OwnedFrame { kind: frame.kind, payload: frame.payload.to_vec() }
    }
}

/// All frames of a stream that comes in pieces of `piece` bytes, and what is left of it or wrong with it.
pub(crate) fn frames(bytes: &[u8], piece: usize) -> (Vec<OwnedFrame>, Result<Vec<u8>, FrameError>) {
    let mut decoder = Decoder::default();
    let mut found = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        decoder.push(piece);
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => found.push(frame.into()),
                Ok(None) => break,
                Err(error) => return (found, Err(error)),
            }
        }
    }
    (found, Ok(decoder.unfinished().to_vec()))
}

/// Judges bytes that a host might send: we read them without a panic, in any split, and every message that we understand
/// comes back when we write it.
///
/// # Panics
///
/// When that is not so.
pub(crate) fn host_frames(bytes: &[u8]) {
    check(bytes, HostMessage::read, HostMessage::to_bytes);
}

/// The same for bytes that a viewer might send.
///
/// # Panics
///
/// When that is not so.
pub(crate) fn viewer_frames(bytes: &[u8]) {
    check(bytes, ViewerMessage::read, ViewerMessage::to_bytes);
}

/// The first byte says how the rest is cut.
fn check<M: PartialEq + std::fmt::Debug, E: std::fmt::Debug>(
    bytes: &[u8],
    read: impl Fn(Frame<'_>) -> Result<Option<M>, E>,
    write: impl Fn(&M) -> Vec<u8>,
) {
    let Some((piece, bytes)) = bytes.split_first() else { return };
    let whole = frames(bytes, usize::MAX);
    assert_eq!(frames(bytes, usize::from(*piece)), whole);
    for frame in whole.0 {
        let Ok(Some(message)) = read(frame.as_frame()) else { continue };
        let written = write(&message);
        // Fields that the frame left out are written with their defaults, and may make it too long for a frame.
        if written.len() > HEADER_BYTES + MAX_PAYLOAD_BYTES {
            continue;
        }
        let (again, rest) = frames(&written, usize::MAX);
        assert_eq!((again.len(), rest), (1, Ok(Vec::new())), "one whole frame");
        assert_eq!(again[0].kind, frame.kind);
        assert_eq!(read(again[0].as_frame()).expect("our own words"), Some(message));
    }
}
