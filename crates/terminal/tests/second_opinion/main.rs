//! A second opinion: `alacritty_terminal` is fed the same bytes, and must show the same.
//!
//! Both are asked only what both can answer ([`view::View`]). Where they differ on principle, ours does as xterm.js
//! does, which people look at, and the generator ([`pieces`]) keeps off the difference. Each of them, with the reason:
//!
//! | What | xterm.js and we | `alacritty_terminal` |
//! | --- | --- | --- |
//! | line feed, IND, RI with a wrap pending | ends it: the cursor is in the last column | keeps it: the next character wraps once more |
//! | ECH, ICH, ED 0 with a wrap pending | ECH and ICH end it; ED 0 leaves the last column alone | keep it; ED 0 erases the last column |
//! | tab stops with a wrap pending | stays | a tab goes to the next row |
//! | saved cursor, `?1049` with a wrap pending | comes back without it | comes back with it |
//! | saved cursor when its line scrolls | moves up with the line | stays in its row |
//! | `?1049l` on the main screen | brings the saved cursor back | does nothing |
//! | underline style, its colour and links in a saved cursor | are not saved | are saved |
//! | CUU, CUD, CNL, CPL, VPR within margins | stop at the margin, as the standard says | go on to the edge of the screen |
//! | origin mode | relative moves stay in place; resetting it goes home | columns count the margin twice; stays |
//! | DECSTBM with a bottom beyond the screen and top in the last row | is ignored | makes a region of one row |
//! | IL, DL | go to the first column, as the standard says | stay |
//! | DCH beyond the row's end | blanks up to the end | blanks columns before the cursor too |
//! | ED 1 in the second row | erases the first row too | does not |
//! | ED 2, SU | what they remove is gone | goes into the history |
//! | SD in a colour | fills with the default background (SU with the pen's) | both fill with the pen's |
//! | a wide character loses a half | the other half takes the pen's style | keeps its own |
//! | erasing and inserting in the middle of a wide character | both halves go | half stays |
//! | CBT without a stop to the left | goes to the first column | stays |
//! | REP after a control | repeats nothing | repeats the last character |
//! | DECALN | goes home, in the pen's style | stays, in the default style |
//! | LNM | a line feed returns the carriage | does not |
//! | SGR 21 | double underline, as the standard says | bold off |
//! | `_` in the line-drawing set | stays | blank, as on the VT100 |
//! | C1 controls | count when they come as UTF-8 | are ignored |
//! | resetting one mouse mode | ends all mouse tracking | ends that one |
//! | RIS | a hidden cursor stays hidden; the title goes | shows the cursor; keeps the title |
//! | blanks around a title | stay | are cut |
//! | `?2026` | is noted; the screen follows at once | the screen waits for the end |
//!
//! Attributes that only one of them keeps (blink, overline, protection; an underline colour without an underline)
//! and what a resize does to wrapped lines are not compared.

mod ours;
mod pieces;
mod theirs;
mod view;

use std::fs;
use std::path::Path;

use model::TermSize;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use pieces::{
    SIZE, addresses, charsets, edits, erases, letters, lines, links, looks, margins, modes, plain_looks,
    resets, saved, screens, tabs, text, vertical_moves, wide_text,
};

/// Every run tries the same streams.
fn config(seed: u64) -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The same bytes to both, and the same seen.
fn check(pieces: &[String]) -> Result<(), TestCaseError> {
    let bytes = pieces.concat().into_bytes();
    let ours = ours::view(&bytes, *SIZE).without_history();
    let theirs = theirs::view(&bytes, *SIZE).without_history();
    prop_assert_eq!(ours, theirs, "{}", bytes.escape_ascii());
    Ok(())
}

/// A test that feeds streams of these pieces, each as often as its weight says.
macro_rules! agree_on {
    ($name:ident, $seed:literal: $($weight:literal $piece:expr),+ $(,)?) => {
        proptest! {
            #![proptest_config(config($seed))]
            #[test]
            fn $name(pieces in prop::collection::vec(prop_oneof![$($weight => $piece),+], 0..60)) {
                check(&pieces)?;
            }
        }
    };
}

agree_on!(both_agree_on_text_and_moves, 1: 5 text(), 3 lines(), 3 addresses(), 2 vertical_moves());
agree_on!(both_agree_on_colours_and_erasing, 2: 5 text(), 2 lines(), 3 addresses(), 5 looks(), 3 erases());
agree_on!(both_agree_on_editing, 3: 5 text(), 2 lines(), 3 addresses(), 2 looks(), 3 edits());
agree_on!(both_agree_on_margins, 4: 5 text(), 3 lines(), 3 addresses(), 2 looks(), 2 margins(), 2 edits());
agree_on!(both_agree_on_tabs, 5: 5 text(), 3 lines(), 3 addresses(), 3 tabs());
agree_on!(both_agree_on_wide_and_combining_characters, 6: 2 text(), 5 wide_text(), 3 lines(), 3 addresses());
agree_on!(both_agree_on_modes, 7: 5 text(), 3 lines(), 2 addresses(), 3 modes(), 2 saved(), 2 plain_looks());
agree_on!(both_agree_on_the_alternate_screen, 8:
    5 text(), 3 lines(), 2 addresses(), 2 screens(), 1 erases(), 2 plain_looks());
agree_on!(both_agree_on_line_drawing, 9: 5 letters(), 3 lines(), 2 addresses(), 3 charsets());
agree_on!(both_agree_on_links, 10: 5 text(), 3 lines(), 2 addresses(), 3 links(), 2 looks(), 2 erases());
agree_on!(both_agree_on_a_mixture, 11:
    8 text(), 4 lines(), 5 addresses(), 3 plain_looks(), 2 erases(), 2 edits(), 1 margins(), 1 tabs(), 1 links(),
    1 modes(), 1 saved(), 1 screens(), 1 resets());

proptest! {
    #![proptest_config(config(12))]
    #[test]
    fn both_emulators_keep_the_same_history(
        pieces in prop::collection::vec(prop_oneof![8 => text(), 4 => lines(), 1 => addresses()], 0..90)
    ) {
        let bytes = pieces.concat().into_bytes();
        prop_assert_eq!(ours::view(&bytes, *SIZE), theirs::view(&bytes, *SIZE), "{}", bytes.escape_ascii());
    }
}

#[test]
fn both_emulators_agree_on_recorded_programs() {
    const CUTS: usize = 50;
    // Its last words are a second `?1049l`, when it is on the main screen already.
    const DIALOG_ENDS_AT: usize = 3180;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded");
    let index = fs::read(folder.join("index.json")).expect("an index of the recordings");
    let index: Vec<Value> = serde_json::from_slice(&index).expect("a list");
    for entry in index {
        let name = entry["name"].as_str().expect("a name");
        let number = |key: &str| entry[key].as_u64().and_then(|n| n.try_into().ok()).expect("a number");
        let size = TermSize::clamped(number("cols"), number("rows"));
        let mut bytes = fs::read(folder.join(name).with_added_extension("vt")).expect("a recording");
        if name == "dialog" {
            bytes.truncate(DIALOG_ENDS_AT);
        }
        for i in 1..=CUTS {
            let bytes = &bytes[..bytes.len() * i / CUTS];
            let ours = ours::view(bytes, size).without_history();
            let theirs = theirs::view(bytes, size).without_history();
            assert_eq!(ours, theirs, "{name} after {} bytes", bytes.len());
        }
    }
}
