//! Collects the output that passes, without copying it where that can be avoided.

use std::ops::Range;

/// What is to be shown of one piece of input: a part of it as it stands, or bytes put together elsewhere.
pub(crate) struct Shown<'a> {
    input: &'a [u8],
    /// The newest part of the input to be shown, not copied yet.
    kept: Range<usize>,
    scratch: &'a mut Vec<u8>,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(input: &'a [u8], scratch: &'a mut Vec<u8>) -> Shown<'a> {
        scratch.clear();
        Shown { input, kept: 0..0, scratch }
    }

    /// Shows a part of the input, which lies behind all parts before.
    #[inline]
    pub(crate) fn keep(&mut self, part: Range<usize>) {
        if self.kept.end == part.start {
            self.kept.end = part.end;
        } else if !part.is_empty() {
            self.copy_kept();
            self.kept = part;
        }
    }

    /// Shows other bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.copy_kept();
        self.scratch.extend_from_slice(bytes);
    }

    pub(crate) fn finish(mut self) -> &'a [u8] {
        if self.scratch.is_empty() {
            return &self.input[self.kept];
        }
        self.copy_kept();
        self.scratch
    }

    fn copy_kept(&mut self) {
        self.scratch.extend_from_slice(&self.input[self.kept.clone()]);
        self.kept = self.kept.end..self.kept.end;
    }
}
