//! The filter's form for an emulator that shows nothing else.

use filter::EmulatorFilter;
use proptest::prelude::*;
use terminal::{SnapshotForm, Terminal};
use testkit::Random;

use crate::laws::{Output, any_output, pieces, without_joining};

/// What an emulator is shown of output that comes in these pieces.
fn shown<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut filter = EmulatorFilter::default();
    let mut scratch = Vec::new();
    pieces.into_iter().map(|piece| filter.pass(piece, &mut scratch).shown.to_owned()).collect()
}

#[track_caller]
fn check(output: &str, expected: &str) {
    for piece in [output.len(), 1, 2, 3] {
        assert_eq!(shown(output.as_bytes().chunks(piece)), expected, "in pieces of {piece}");
    }
}

#[test]
fn an_emulator_changes_screens_resets_and_erases_as_the_program_says() {
    for output in ["\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?1048l", "\x1bc", "\x1b[3J", "\x1b[?3J"] {
        check(output, output);
    }
    check("\x1b[?1049;2048h", "\x1b[?1049h");
}

#[test]
fn o4_and_s22_an_emulator_is_asked_nothing_and_reaches_nothing_else() {
    for output in
        ["\x1b[6n", "\x1b[c", "\x1b]11;?\x07", "\x1b]52;c;aGk=\x07", "\x1b[8;50;200t", "\x1b[22J", "\x05"]
    {
        check(&format!("a{output}b"), "ab");
    }
}

#[test]
fn bracketed_paste_is_what_the_program_last_said() {
    let mut filter = EmulatorFilter::default();
    for (output, expected) in [
        (&b"text"[..], false),
        (b"\x1b[?20", false),
        (b"04h", true),
        (b"\x1b[?25l", true),
        (b"\x1b[?25;2004l", false),
        (b"\x1b[?1;2004h", true),
        (b"\x1b[2004l", true),
        (b"\x1bc", false),
    ] {
        filter.pass(output, &mut Vec::new());
        assert_eq!(filter.bracketed_paste(), expected, "{}", output.escape_ascii());
    }
}

#[test]
fn unfinished_bytes_are_counted_unless_a_part_of_them_was_shown() {
    let check = |output: &str, unfinished: Option<usize>| {
        let mut filter = EmulatorFilter::default();
        assert_eq!(filter.pass(output.as_bytes(), &mut Vec::new()).unfinished, unfinished, "{output:?}");
    };
    check("", Some(0));
    check("text\x1b[31m", Some(0));
    check("text\x1b[3", Some(3));
    check("\x1b]2;title", Some(9));
    // The line feed works at once.
    check("\x1b[3\n", None);
    check("\x1b[3\n1m", Some(0));
    // The title was set; the ESC that ended it may begin something else.
    check("\x1b]2;title\x1b", None);
    check("\x1b]2;title\x1b\\", Some(0));
}

fn same_screen(left: &Terminal, right: &Terminal) -> Result<(), TestCaseError> {
    prop_assert_eq!(left.text(100), right.text(100));
    prop_assert_eq!(left.cursor(), right.cursor());
    prop_assert_eq!(left.on_alternate_screen(), right.on_alternate_screen());
    Ok(())
}

proptest! {
    #[test]
    fn any_split_shows_an_emulator_the_same(output in any_output(), seed: u64) {
        let pieces = pieces(&output.bytes, &mut Random::new(seed));
        prop_assert_eq!(shown(pieces.iter().map(Vec::as_slice)), shown([&output.bytes[..]]));
    }

    #[test]
    fn o4_an_emulator_that_shows_all_of_it_answers_nothing_and_has_the_same_screen(output in any_output()) {
        let output = without_joining(output);
        let (mut emulator, mut host) = (output.terminal(), output.terminal());
        emulator.feed(shown([&output.bytes[..]]).as_bytes());
        host.feed(&output.bytes);
        let replies = emulator.take_replies();
        prop_assert!(replies.is_empty(), "{}", replies.escape_ascii());
        same_screen(&emulator, &host)?;
    }

    #[test]
    fn o3_an_emulator_that_comes_later_has_the_same_screen(output in any_output(), cut: prop::sample::Index) {
        let output = without_joining(output);
        let (before, after) = output.bytes.split_at(cut.index(output.bytes.len() + 1));
        let mut host = output.terminal();
        host.feed(before);
        let snapshot = host.snapshot(SnapshotForm::Full { history: 100 });
        host.feed(after);
        let mut emulator = output.terminal();
        emulator.feed(shown([&snapshot[..], after]).as_bytes());
        prop_assert!(emulator.take_replies().is_empty());
        same_screen(&emulator, &host)?;
    }

    #[test]
    fn resuming_before_the_unfinished_bytes_shows_nothing_twice(
        output in any_output(),
        cut: prop::sample::Index,
    ) {
        let Output { bytes, .. } = output;
        let cut = cut.index(bytes.len() + 1);
        let mut filter = EmulatorFilter::default();
        let mut scratch = Vec::new();
        let first = filter.pass(&bytes[..cut], &mut scratch);
        if let Some(unfinished) = first.unfinished {
            let again = shown([&bytes[cut - unfinished..]]);
            prop_assert_eq!(format!("{}{again}", first.shown), shown([&bytes[..]]));
        }
    }
}
