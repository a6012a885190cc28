//! Typed bytes that the child has not taken yet.

use std::collections::VecDeque;
use std::io;

use crate::pty::Pty;

/// The longest message fits; a child that does not read gets no more than this.
const MOST_BYTES: usize = 1 << 20;

/// Typed bytes and answers on their way to the child, in order.
#[derive(Debug, Default)]
pub(crate) struct Input {
    waiting: VecDeque<u8>,
}

impl Input {
    /// Input that waited when we were another program.
    pub(crate) fn resume(waiting: Vec<u8>) -> Input {
        Input { waiting: waiting.into() }
    }

    /// Takes a whole message, or nothing of it if there is no room.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> bool {
        let fits = self.waiting.len() + bytes.len() <= MOST_BYTES;
        if fits {
            self.waiting.extend(bytes);
        }
        fits
    }

    /// Gives the child what it takes now.
    pub(crate) fn pass_on(&mut self, pty: &Pty) -> io::Result<()> {
        while !self.waiting.is_empty() {
            let (front, _) = self.waiting.as_slices();
            match pty.write(front)? {
                0 => break,
                written => drop(self.waiting.drain(..written)),
            }
        }
        if self.waiting.is_empty() {
            self.waiting = VecDeque::new();
        }
        Ok(())
    }

    /// Whether something waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, for the program that we become.
    pub(crate) fn waiting(&self) -> Vec<u8> {
        self.waiting.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c7_input_is_taken_whole_or_not_at_all() {
        let mut input = Input::default();
        assert!(input.take(&[b'x'; MOST_BYTES - 1]));
        assert!(!input.take(b"ab"), "no room for both");
        assert!(input.take(b"a"));
        assert!(!input.take(b"a"));
        assert_eq!(input.waiting().len(), MOST_BYTES);
    }
}
