//! Laws that hold for any stream.

use masking::{Mask, Masker, apply};
use model::TermSize;
use terminal::{HistoryLimit, Terminal};
use testkit::{Random, StreamGen};

use crate::common::{examples, masks, rules};

/// A stream of any kind, with secrets planted between its parts.
fn stream(seed: u64) -> (TermSize, Vec<u8>) {
    let generator = StreamGen::new(seed);
    let (size, mut bytes) = (generator.size(), generator.bytes());
    let mut random = Random::new(seed ^ 0x5eed);
    let examples = examples();
    for _ in 0..random.between(0, 6) {
        let example = &examples[random.below(examples.len())].text;
        let at = random.below(bytes.len() + 1);
        bytes.splice(at..at, example.bytes());
    }
    (size, bytes)
}

#[test]
fn masks_do_not_depend_on_how_the_stream_is_split() {
    for seed in 0..400 {
        let (size, bytes) = stream(seed);
        let whole = masks(&rules(), size, [&bytes[..]]);
        let mut random = Random::new(seed);
        let mut parts = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (part, later) = rest.split_at(random.between(1, 40).min(rest.len()));
            parts.push(part);
            rest = later;
        }
        assert_eq!(masks(&rules(), size, parts), whole, "seed {seed}");
        assert_eq!(masks(&rules(), size, bytes.chunks(1)), whole, "seed {seed}, byte by byte");
    }
}

#[test]
fn every_mask_is_of_one_whole_character_and_no_byte_is_masked_twice() {
    for seed in 0..400 {
        let (size, bytes) = stream(seed);
        let mut seen = vec![false; bytes.len()];
        for mask in masks(&rules(), size, [&bytes[..]]) {
            let range = mask.at as usize..mask.at as usize + usize::from(mask.len);
            assert_eq!(mask.bytes().len(), range.len());
            match std::str::from_utf8(&bytes[range.clone()]) {
                Ok(text) => {
                    assert_eq!(text.chars().count(), 1, "seed {seed}: {mask:?} of {text:?}");
                    assert!(text.chars().all(|c| !c.is_control()), "seed {seed}: {mask:?} of {text:?}");
                }
                // In control strings, each byte has a mask of its own.
                Err(_) => assert_eq!(range.len(), 1, "seed {seed}: {mask:?}"),
            }
            assert!(!seen[range.start], "seed {seed}: {mask:?} again");
            seen[range].fill(true);
        }
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let character = &seen[at..at + c.len_utf8()];
                assert!(character.iter().all(|byte| *byte == character[0]), "seed {seed}: a part of {c:?}");
                at += c.len_utf8();
            }
            at += chunk.invalid().len();
        }
    }
}

/// What a terminal shows and has above its screen: the characters of every column, the second of a wide one empty.
fn columns(terminal: &Terminal) -> Vec<Vec<String>> {
    let row = |text: String| {
        let mut columns: Vec<String> = Vec::new();
        for c in text.chars() {
            match (terminal::width(c), columns.iter().rposition(|column| !column.is_empty())) {
                (0, Some(last)) => columns[last].push(c),
                (width, _) => {
                    columns.push(c.to_string());
                    columns.extend((1..width).map(|_| String::new()));
                }
            }
        }
        columns
    };
    terminal.history_rows(usize::MAX).chain(terminal.rows()).map(|styled| row(styled.text())).collect()
}

/// The mask character that is wide.
const WIDE: char = '＊';

/// The characters of masks that take a column, each with the position of its first byte.
fn shown_by(masks: &[Mask]) -> Vec<(usize, char)> {
    let of = |mask: &Mask| {
        let text = std::str::from_utf8(mask.bytes()).expect("a mask is text").to_owned();
        let at = usize::try_from(mask.at).expect("a position in the stream");
        text.char_indices()
            .map(|(byte, c)| (at + byte, c))
            .filter(|(_, c)| *c != '\0' && terminal::width(*c) > 0)
            .collect::<Vec<_>>()
    };
    masks.iter().flat_map(of).collect()
}

/// How many digits a number has, each of them in a stream of its own. Digits go up to seven: 4096 numbers are enough.
const DIGITS: u32 = 4;

/// The stream once more, with a digit of its number, counted from zero, in place of each shown mask character. So a
/// terminal tells which of them it shows in a cell.
fn numbered(masked: &[u8], shown: &[(usize, char)], digit: u32) -> Vec<u8> {
    let mut bytes = masked.to_vec();
    for (number, (at, c)) in shown.iter().enumerate() {
        let value = u8::try_from(number / 8_usize.pow(digit) % 8).expect("a digit");
        match *c {
            // The wide digits are the last byte of `０` and those after it.
            WIDE => bytes[*at..*at + 3].copy_from_slice(&[0xef, 0xbc, 0x90 + value]),
            _ => bytes[*at] = b'0' + value,
        }
    }
    bytes
}

/// The number that is in these cells, one of each stream, or nothing if they have no mask character.
fn number_in(cells: &[&String], masked: &str) -> Option<usize> {
    if cells.iter().all(|cell| *cell == masked) {
        return None;
    }
    let digits = cells.iter().rev().map(|cell| match cell.chars().next() {
        Some(c @ '0'..='7') => c as usize - '0' as usize,
        Some(c @ '０'..='７') => c as usize - '０' as usize,
        other => panic!("{other:?} is no digit of ours"),
    });
    Some(digits.fold(0, |number, digit| number * 8 + digit))
}

/// Checks that a terminal shows each mask of a stream in its cell, and the same as without masks in all others. Says how
/// many cells are masked.
fn check_cells(what: &str, size: TermSize, bytes: &[u8]) -> usize {
    let masks = masks(&rules(), size, [bytes]);
    let mut masked = bytes.to_vec();
    apply(&masks, 0, &mut masked);
    let feed = |bytes: &[u8]| {
        let mut terminal = Terminal::new(size, HistoryLimit::default());
        terminal.feed(bytes);
        terminal
    };
    let shown = shown_by(&masks);
    assert!(shown.len() < 8_usize.pow(DIGITS), "{what}: too many for the digits");
    let (before, after) = (feed(bytes), feed(&masked));
    assert_eq!(before.cursor(), after.cursor(), "{what}");
    let (rows, masked_rows) = (columns(&before), columns(&after));
    let numbers: Vec<_> =
        (0..DIGITS).map(|digit| columns(&feed(&numbered(&masked, &shown, digit)))).collect();
    assert_eq!(rows.len(), masked_rows.len(), "{what}");
    let mut masked_cells = 0;
    for (row, (cells, masked_row)) in rows.iter().zip(&masked_rows).enumerate() {
        let what = || format!("{what} row {row}\n{cells:?}\n{masked_row:?}");
        assert_eq!(cells.len(), masked_row.len(), "{}", what());
        for (col, (cell, masked)) in cells.iter().zip(masked_row).enumerate() {
            let digits: Vec<&String> = numbers.iter().map(|rows| &rows[row][col]).collect();
            match number_in(&digits, masked) {
                None => assert_eq!(cell, masked, "column {col} of {}", what()),
                Some(number) => {
                    assert_eq!(masked.chars().next(), Some(shown[number].1), "column {col} of {}", what());
                    masked_cells += 1;
                }
            }
        }
    }
    masked_cells
}

#[test]
fn a_terminal_that_gets_masked_output_shows_each_mask_in_its_cell_and_the_same_in_all_others() {
    let mut masked_cells = 0;
    for seed in 0..1500 {
        let (size, bytes) = stream(seed);
        if bytes.windows(4).any(|window| window == b"2027") {
            // The masker knows no grapheme clusters.
            continue;
        }
        masked_cells += check_cells(&format!("seed {seed}"), size, &bytes);
    }
    assert!(masked_cells > 10_000, "only {masked_cells} cells were masked");
}

#[test]
fn wide_characters_and_marks_that_are_cut_moved_or_repeated_keep_their_cells() {
    let narrow = TermSize::clamped(5, 3);
    let usual = TermSize::clamped(80, 24);
    for (size, stream) in [
        (usual, "password: a91\u{305}\x1b[8b"),
        (usual, "password: a91\u{fe01}\x1b[8b"),
        (usual, "password: a91\u{e0101}\x1b[8b"),
        (usual, "password: a91密\u{305}\x1b[8b"),
        (usual, "password: a91密\x1b[3bx"),
        (narrow, "👩密码：qbK9👧z\x1b[2;5H\x1b𠀀한100% fn漢"),
        (narrow, "t2Xbpassword=\"nter2é\"K92222;#333333\x1b[P\x1bZthepassword=\"he导"),
        (TermSize::clamped(16, 3), "password=\"a1b2c密d\""),
    ] {
        assert!(check_cells(stream, size, stream.as_bytes()) > 0, "{stream:?}");
    }
}

#[test]
fn masks_do_not_depend_on_whether_their_character_is_repeated_later() {
    let size = TermSize::clamped(80, 24);
    for (stream, last) in [("password: hunter密", "＊"), ("password: hunter1\u{305}", "\u{34f}")] {
        let early = masks(&rules(), size, [stream.as_bytes()]);
        assert_eq!(early.last().map(Mask::bytes), Some(last.as_bytes()), "{stream:?}");
        let repeated = format!("{stream}\x1b[3b end");
        let later = masks(&rules(), size, [repeated.as_bytes()]);
        assert!(later.iter().any(|mask| mask.bytes() == last.as_bytes()), "{stream:?}");
    }
}

#[test]
fn a_masker_can_be_asked_at_any_time() {
    for seed in 0..200 {
        let (size, bytes) = stream(seed);
        let mut masker = Masker::new(rules(), size);
        let mut random = Random::new(seed);
        let mut masked = bytes.clone();
        for (index, part) in bytes.chunks(17).enumerate() {
            masker.feed(part);
            match random.below(4) {
                0 => masker.look(),
                1 => apply(&masker.take_masks(), 0, &mut masked),
                2 => assert!(masker.unsettled_from() <= masker.position(), "seed {seed}"),
                _ if index % 9 == 0 => {
                    masker.resize(TermSize::clamped(
                        random.between(2, 90) as u16,
                        random.between(1, 30) as u16,
                    ));
                }
                _ => {}
            }
        }
        masker.look();
        apply(&masker.take_masks(), 0, &mut masked);
        assert_eq!(masked.len(), bytes.len());
    }
}
