//! What holds for any stream.

use masking::{Masker, apply};
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
            let text = std::str::from_utf8(&bytes[range.clone()])
                .unwrap_or_else(|_| panic!("seed {seed}: {mask:?}"));
            assert_eq!(text.chars().count(), 1, "seed {seed}: {mask:?} of {text:?}");
            assert!(text.chars().all(|c| !c.is_control()), "seed {seed}: {mask:?} of {text:?}");
            assert_eq!(mask.bytes().len(), range.len());
            assert!(!seen[range.start], "seed {seed}: {mask:?} again");
            seen[range].fill(true);
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

#[test]
fn a_terminal_that_gets_masked_output_shows_the_same_in_all_other_cells() {
    let mut masked_cells = 0;
    for seed in 0..1500 {
        let (size, bytes) = stream(seed);
        if bytes.windows(4).any(|window| window == b"2027") {
            // The masker knows no grapheme clusters.
            continue;
        }
        let mut masked = bytes.clone();
        apply(&masks(&rules(), size, [&bytes[..]]), 0, &mut masked);
        let feed = |bytes: &[u8]| {
            let mut terminal = Terminal::new(size, HistoryLimit::default());
            terminal.feed(bytes);
            terminal
        };
        let (before, after) = (feed(&bytes), feed(&masked));
        let (rows, masked_rows) = (columns(&before), columns(&after));
        assert_eq!(rows.len(), masked_rows.len(), "seed {seed}");
        for (row, (cells, masked_cells_of_row)) in rows.iter().zip(&masked_rows).enumerate() {
            let what = || format!("seed {seed} row {row}\n{cells:?}\n{masked_cells_of_row:?}");
            assert_eq!(cells.len(), masked_cells_of_row.len(), "{}", what());
            for (cell, masked) in cells.iter().zip(masked_cells_of_row) {
                // A mark that stands alone in the next cell shows up with this one.
                let is_mask = masked.is_empty() || masked.starts_with(|c| "*REDACT＊".contains(c));
                assert!(cell == masked || is_mask, "{}", what());
                masked_cells += usize::from(cell != masked);
            }
        }
        assert_eq!(before.cursor(), after.cursor(), "seed {seed}");
    }
    assert!(masked_cells > 10_000, "only {masked_cells} cells were masked");
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
