//! Typed bytes that the child has not taken yet.

use std::collections::VecDeque;
use std::io;

use serde::{Deserialize, Serialize};

use crate::pty::Pty;

/// The longest message fits; a child that does not read gets no more than this.
const MOST_BYTES: usize = 1 << 20;

/// The end of a paste. A program that got the beginning of a paste takes everything as pasted until it gets this.
const PASTE_END: &[u8] = b"\x1b[201~";
const PASTE_BEGIN: &[u8] = b"\x1b[200~";

/// Typed bytes and answers on their way to the child, in order.
#[derive(Debug, Default)]
pub(crate) struct Input {
    waiting: VecDeque<u8>,
    /// Whose they are, in the same order.
    pieces: VecDeque<Piece>,
}

/// Waiting bytes that follow each other and are of the same principal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    principal: Option<String>,
    bytes: usize,
}

impl Input {
    /// Input that waited when we were another program. That program may not have known whose it is.
    pub(crate) fn resume(waiting: Vec<u8>, pieces: Vec<Piece>) -> Input {
        let known: usize = pieces.iter().map(|piece| piece.bytes).sum();
        let pieces = match waiting.len() {
            0 => VecDeque::new(),
            bytes if bytes == known => pieces.into(),
            bytes => [Piece { principal: None, bytes }].into(),
        };
        Input { waiting: waiting.into(), pieces }
    }

    /// Takes a whole message, or nothing of it if there is no room.
    pub(crate) fn take(&mut self, bytes: &[u8], principal: Option<&str>) -> bool {
        let fits = self.waiting.len() + bytes.len() <= MOST_BYTES;
        if fits && !bytes.is_empty() {
            self.add(bytes, principal);
        }
        fits
    }

    /// Gives the child what it takes now.
    pub(crate) fn pass_on(&mut self, pty: &Pty) -> io::Result<()> {
        while !self.waiting.is_empty() {
            let (front, _) = self.waiting.as_slices();
            match pty.write(front)? {
                0 => break,
                written => self.passed(written),
            }
        }
        if self.waiting.is_empty() {
            *self = Input::default();
        }
        Ok(())
    }

    /// Takes back what a principal typed and the child has not got. If the child has got the beginning of a paste, its
    /// end stays: what others type after it must not be taken as a part of it.
    pub(crate) fn withdraw(&mut self, principal: &str) {
        let is_its = |piece: &Piece| piece.principal.as_deref() == Some(principal);
        if !self.pieces.iter().any(is_its) {
            return;
        }
        let before = std::mem::take(self);
        let mut bytes: Vec<u8> = before.waiting.into();
        let mut cut = Vec::with_capacity(before.pieces.len());
        for piece in before.pieces {
            let rest = bytes.split_off(piece.bytes);
            cut.push((is_its(&piece), piece.principal, bytes));
            bytes = rest;
        }
        let of_principal = cut.iter().filter(|(is_its, ..)| *is_its).flat_map(|(_, _, bytes)| bytes);
        let mut end_is_missing = begins_in_a_paste(&of_principal.copied().collect::<Vec<u8>>());
        for (is_its, principal, bytes) in cut {
            if !is_its {
                self.add(&bytes, principal.as_deref());
            } else if std::mem::take(&mut end_is_missing) {
                self.add(PASTE_END, None);
            }
        }
    }

    /// Whether something waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, for the program that we become.
    pub(crate) fn waiting(&self) -> Vec<u8> {
        self.waiting.iter().copied().collect()
    }

    /// Whose it is.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        self.pieces.iter().cloned().collect()
    }

    fn add(&mut self, bytes: &[u8], principal: Option<&str>) {
        self.waiting.extend(bytes);
        match self.pieces.back_mut().filter(|piece| piece.principal.as_deref() == principal) {
            Some(piece) => piece.bytes += bytes.len(),
            None => {
                let principal = principal.map(str::to_owned);
                self.pieces.push_back(Piece { principal, bytes: bytes.len() });
            }
        }
    }

    fn passed(&mut self, written: usize) {
        drop(self.waiting.drain(..written));
        let mut left = written;
        while let Some(piece) = self.pieces.front_mut() {
            let of_it = left.min(piece.bytes);
            piece.bytes -= of_it;
            left -= of_it;
            if piece.bytes > 0 {
                break;
            }
            self.pieces.pop_front();
        }
    }
}

/// Whether these bytes begin within a paste: its end comes first.
fn begins_in_a_paste(bytes: &[u8]) -> bool {
    let first = |marker: &[u8]| bytes.windows(marker.len()).position(|window| window == marker);
    match (first(PASTE_END), first(PASTE_BEGIN)) {
        (Some(end), Some(begin)) => end < begin,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that still wait after a principal's were withdrawn.
    fn left(typed: &[(Option<&str>, &str)], got: usize, withdrawn: &str) -> String {
        let mut input = Input::default();
        for (principal, bytes) in typed {
            assert!(input.take(bytes.as_bytes(), *principal));
        }
        input.passed(got);
        input.withdraw(withdrawn);
        let pieces: usize = input.pieces().iter().map(|piece| piece.bytes).sum();
        assert_eq!(pieces, input.waiting().len());
        String::from_utf8(input.waiting()).unwrap()
    }

    #[test]
    fn c7_input_is_taken_whole_or_not_at_all() {
        let mut input = Input::default();
        assert!(input.take(&[b'x'; MOST_BYTES - 1], None));
        assert!(!input.take(b"ab", None), "no room for both");
        assert!(input.take(b"a", None));
        assert!(!input.take(b"a", None));
        assert_eq!(input.waiting().len(), MOST_BYTES);
    }

    #[test]
    fn s19_what_a_principal_typed_is_taken_back_and_nothing_else() {
        let typed = [(Some("a"), "one"), (None, "reply"), (Some("b"), "two"), (Some("a"), "three")];
        assert_eq!(left(&typed, 0, "a"), "replytwo");
        assert_eq!(left(&typed, 0, "b"), "onereplythree");
        assert_eq!(left(&typed, 0, "c"), "onereplytwothree");
        assert_eq!(left(&typed, 2, "a"), "replytwo");
        assert_eq!(left(&typed, 9, "a"), "wo");
    }

    #[test]
    fn s19_a_paste_of_which_the_child_got_the_beginning_is_ended() {
        let paste = "\x1b[200~rm -rf\x1b[201~";
        let typed = [(Some("b"), "x"), (Some("a"), paste), (Some("b"), "ls\r"), (Some("a"), "y")];
        assert_eq!(left(&typed, 0, "a"), "xls\r", "the child got nothing of it");
        assert_eq!(left(&typed, 9, "a"), "\x1b[201~ls\r");
        let one = [(Some("a"), paste), (Some("b"), "ls\r")];
        assert_eq!(left(&one, 8, "a"), "\x1b[201~ls\r");
        let two = [(Some("a"), "mp\x1b[201~"), (Some("b"), "z"), (Some("a"), paste)];
        assert_eq!(left(&two, 1, "a"), "\x1b[201~z");
    }

    #[test]
    fn input_of_a_program_that_did_not_know_whose_it_is_stays() {
        let mut input = Input::resume(b"abc".to_vec(), Vec::new());
        input.withdraw("a");
        assert_eq!(input.waiting(), b"abc");
        let mut before = Input::default();
        before.take(b"abc", Some("a"));
        let mut after = Input::resume(before.waiting(), before.pieces());
        after.withdraw("a");
        assert!(after.is_empty());
    }
}
