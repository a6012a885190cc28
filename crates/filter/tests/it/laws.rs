//! Laws that hold for any output, however it is cut.

use std::fmt;

use filter::{Filter, Passed};
use model::TermSize;
use proptest::prelude::*;
use terminal::{HistoryLimit, Terminal};
use testkit::{Profile, Random, StreamGen, damaged};

use crate::shown;

/// A program's output and the size it was written for.
#[derive(Clone)]
pub(crate) struct Output {
    pub(crate) size: TermSize,
    pub(crate) bytes: Vec<u8>,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} \"{}\"", self.size, self.bytes.escape_ascii())
    }
}

impl Output {
    pub(crate) fn terminal(&self) -> Terminal {
        Terminal::new(self.size, HistoryLimit { lines: 100, bytes: 1 << 20 })
    }
}

/// Output of every kind, whole and damaged, and mere noise of the letters that sequences are made of.
pub(crate) fn any_output() -> impl Strategy<Value = Output> {
    prop_oneof![
        4 => (any::<u64>(), prop::sample::select(&Profile::ALL[..]), any::<bool>()).prop_map(made_up),
        1 => prop::collection::vec(prop::sample::select(LETTERS), 0..400).prop_map(|bytes| Output {
            size: TermSize::clamped(20, 6),
            bytes,
        }),
    ]
}

const LETTERS: &[u8] =
    b"\x1b\x1b\x1b[[[]P_X^\\;;:?>=<!$ '\"#*%0123456789mHJKhlABCDrtqnpuszgX@LMPSTbcZx\x05\x07\
    \x08\t\n\r\x0e\x18\x9b\x9c\xc2\xc2\xe6\xbc\xa2\xf0\x9f\x98\x80 abc";

fn made_up((seed, profile, damage): (u64, Profile, bool)) -> Output {
    let stream = StreamGen::new(seed).like(profile);
    let size = stream.size();
    let bytes = stream.bytes();
    let bytes = if damage { damaged(bytes, &mut Random::new(seed)) } else { bytes };
    Output { size, bytes }
}

/// Cuts bytes anywhere.
pub(crate) fn pieces(mut bytes: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
    let longest = random.pick(&[1, 2, 7, 300]);
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(random.between(1, longest).min(bytes.len()));
        pieces.push(piece.to_vec());
        bytes = rest;
    }
    pieces
}

/// The same in narrow characters, without marks and repeats (`CSI b`). Those belong to the character right before
/// them, and there is another one if a question between them was taken out.
pub(crate) fn without_joining(output: Output) -> Output {
    let mut bytes = Vec::new();
    for chunk in output.bytes.utf8_chunks() {
        let plain = chunk.valid().chars().map(|c| match c {
            'b' => 'c',
            '\u{a0}'.. => '─',
            other => other,
        });
        bytes.extend(plain.collect::<String>().bytes());
        bytes.extend(chunk.invalid());
    }
    Output { bytes, ..output }
}

/// Whether bytes end inside no sequence and no character.
pub(crate) fn ends_at_rest(bytes: &[u8]) -> bool {
    let mut filter = Filter::default();
    filter.pass_snapshot(bytes, &mut Vec::new());
    filter.pass(b"x", &mut Vec::new()).shown() == b"x"
}

proptest! {
    #[test]
    fn any_split_shows_the_same(output in any_output(), seed: u64) {
        let pieces = pieces(&output.bytes, &mut Random::new(seed));
        let split = shown(pieces.iter().map(Vec::as_slice));
        let whole = shown([&output.bytes[..]]);
        prop_assert_eq!(split.escape_ascii().to_string(), whole.escape_ascii().to_string());
    }

    #[test]
    fn o4_filtered_output_draws_no_answer(output in any_output()) {
        let mut terminal = output.terminal();
        terminal.feed(&shown([&output.bytes[..]]));
        let replies = terminal.take_replies();
        prop_assert!(replies.is_empty(), "{}", replies.escape_ascii());
    }

    #[test]
    fn filtered_output_passes_the_filter_unchanged(output in any_output()) {
        let once = shown([&output.bytes[..]]);
        let twice = shown([&once[..]]);
        prop_assert_eq!(twice.escape_ascii().to_string(), once.escape_ascii().to_string());
    }

    #[test]
    fn filtered_output_is_utf_8_and_ends_outside_any_sequence(output in any_output(), cut: prop::sample::Index) {
        let shown = shown([&output.bytes[..cut.index(output.bytes.len() + 1)]]);
        prop_assert!(std::str::from_utf8(&shown).is_ok());
        prop_assert!(ends_at_rest(&shown));
    }

    #[test]
    fn the_screen_is_the_same_up_to_a_change_of_screens(output in any_output()) {
        let output = without_joining(output);
        let mut scratch = Vec::new();
        let (shown, used) = match Filter::default().pass(&output.bytes, &mut scratch) {
            Passed::All { shown } => (shown, output.bytes.len()),
            // The last byte is the one that makes it happen.
            Passed::Until { shown, used } => (shown, used - 1),
        };
        let (mut filtered, mut whole) = (output.terminal(), output.terminal());
        // Where an outer terminal shows it. Elsewhere, history that is erased moves the saved cursor.
        filtered.feed(b"\x1b[?1049h");
        whole.feed(b"\x1b[?1049h");
        filtered.feed(shown);
        whole.feed(&output.bytes[..used]);
        prop_assert_eq!(filtered.text(0), whole.text(0));
        prop_assert_eq!(filtered.cursor(), whole.cursor());
    }
}
