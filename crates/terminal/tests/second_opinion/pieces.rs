//! What streams are made of: sequences that mean the same to both terminals.
//!
//! A backspace before a sequence ends a pending wrap, where the two would go on differently; so does a return.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use model::TermSize;
use proptest::prelude::*;
use proptest::sample::select;

/// The size that the pieces are written for.
pub(crate) static SIZE: LazyLock<TermSize> = LazyLock::new(|| TermSize::clamped(COLS, ROWS));
const COLS: u16 = 20;
const ROWS: u16 = 6;

pub(crate) type Pieces = BoxedStrategy<String>;

fn one_of(choices: &'static [&'static str]) -> Pieces {
    select(choices).prop_map(str::to_owned).boxed()
}

/// Control sequences with one number.
fn csi(numbers: RangeInclusive<u16>, finals: &'static [&'static str]) -> Pieces {
    (numbers, select(finals)).prop_map(|(n, last)| format!("\x1b[{n}{last}")).boxed()
}

pub(crate) fn text() -> Pieces {
    prop_oneof![
        8 => "[ -~]{1,12}",
        2 => "[a-z]{15,30}",
        2 => one_of(&["é", "ß", "Ж", "─", "│", "█", "€"]),
    ]
    .boxed()
}

/// ASCII that line drawing shows the same in both.
pub(crate) fn letters() -> Pieces {
    "[ -^`-~]{1,12}".boxed()
}

pub(crate) fn wide_text() -> Pieces {
    one_of(&["漢", "字", "あ", "한", "。", "Ａ", "😀", "🎉", "漢字漢字", "e\u{301}", "漢\u{3099}", "a"])
}

pub(crate) fn lines() -> Pieces {
    one_of(&[
        "\r\n",
        "\r\n",
        "\r",
        "\x08",
        "\x08\n",
        "\r\x0b",
        "\x08\x1bD",
        "\x1bE",
        "\x08\x1bM",
        "\r\n\r\n\r\n",
    ])
}

pub(crate) fn addresses() -> Pieces {
    prop_oneof![
        4 => (1..=ROWS + 1, 1..=COLS + 1).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
        1 => (1..=ROWS, 1..=COLS).prop_map(|(row, col)| format!("\x1b[{row};{col}f")),
        1 => csi(1..=COLS + 1, &["G", "`"]),
        1 => csi(1..=ROWS + 1, &["d"]),
        2 => csi(0..=COLS, &["C", "D", "a"]),
        1 => one_of(&["\x1b[H", "\x1b[;5H", "\x1b[3H", "\x1b[C", "\x1b[D"]),
    ]
    .boxed()
}

pub(crate) fn vertical_moves() -> Pieces {
    csi(0..=ROWS + 1, &["A", "B", "E", "F", "e"])
}

/// There is always a stop in the first column to go back to.
pub(crate) fn tabs() -> Pieces {
    one_of(&[
        "\x08\t",
        "\x08\t",
        "\x1bH",
        "\x1b[9G\x1b[g",
        "\x1b[3g\r\x1bH",
        "\x08\x1b[I",
        "\x08\x1b[2I",
        "\x08\x1b[Z",
        "\x08\x1b[2Z",
    ])
}

pub(crate) fn erases() -> Pieces {
    prop_oneof![
        3 => one_of(&["\x1b[K", "\x1b[1K", "\x1b[2K", "\x08\x1b[J", "\x1b[2J"]),
        1 => csi(0..=COLS + 1, &["X"]).prop_map(|erase| format!("\x08{erase}")),
    ]
    .boxed()
}

pub(crate) fn edits() -> Pieces {
    let deletable = (1..=COLS).prop_flat_map(|col| (Just(col), 1..=COLS + 1 - col));
    prop_oneof![
        csi(0..=COLS + 1, &["@"]).prop_map(|insert| format!("\x08{insert}")),
        deletable.prop_map(|(col, n)| format!("\x1b[{col}G\x1b[{n}P")),
        csi(0..=ROWS + 1, &["L\r", "M\r"]),
        csi(0..=ROWS + 1, &["S", "T"]).prop_map(|scroll| format!("\x1b[49m{scroll}")),
        csi(0..=5, &["b"]).prop_map(|repeat| format!("x{repeat}")),
    ]
    .boxed()
}

pub(crate) fn margins() -> Pieces {
    prop_oneof![
        4 => (1..=ROWS, 1..=ROWS).prop_map(|(top, bottom)| format!("\x1b[{top};{bottom}r")),
        1 => one_of(&["\x1b[r", "\x1b[2r", "\x1b[;3r"]),
    ]
    .boxed()
}

/// Colours and attributes that a saved cursor keeps in both.
pub(crate) fn plain_looks() -> Pieces {
    const ATTRIBUTES: [u8; 14] = [0, 1, 2, 3, 7, 8, 9, 22, 23, 27, 28, 29, 39, 49];
    prop_oneof![
        4 => select(&ATTRIBUTES[..]).prop_map(|n| format!("\x1b[{n}m")),
        1 => one_of(&["\x1b[m", "\x1b[1;31;42m", "\x1b[;7m"]),
        2 => (30..=37u8, 40..=47u8).prop_map(|(fg, bg)| format!("\x1b[{fg};{bg}m")),
        1 => (90..=97u8, 100..=107u8).prop_map(|(fg, bg)| format!("\x1b[{fg};{bg}m")),
        2 => colours(&[38, 48]),
    ]
    .boxed()
}

pub(crate) fn looks() -> Pieces {
    prop_oneof![
        3 => plain_looks(),
        1 => colours(&[58]),
        1 => one_of(&[
            "\x1b[4m",
            "\x1b[4:0m",
            "\x1b[4:2m",
            "\x1b[4:3m",
            "\x1b[4:4m",
            "\x1b[4:5m",
            "\x1b[24m",
            "\x1b[59m",
        ]),
    ]
    .boxed()
}

/// Palette and true colours for what these numbers set.
fn colours(what: &'static [u8]) -> Pieces {
    prop_oneof![
        (select(what), any::<u8>()).prop_map(|(what, n)| format!("\x1b[{what};5;{n}m")),
        (select(what), any::<u8>()).prop_map(|(what, n)| format!("\x1b[{what}:5:{n}m")),
        (select(what), any::<[u8; 3]>()).prop_map(|(what, [r, g, b])| format!("\x1b[{what};2;{r};{g};{b}m")),
        (select(what), any::<[u8; 3]>()).prop_map(|(what, [r, g, b])| format!("\x1b[{what}:2::{r}:{g}:{b}m")),
    ]
    .boxed()
}

/// A cursor that is saved and restored before anything scrolls.
pub(crate) fn saved() -> Pieces {
    (addresses(), plain_looks())
        .prop_map(|(address, look)| format!("\x08\x1b7{address}{look}\x1b[1;1Hab\x1b8"))
        .boxed()
}

/// A visit to the alternate screen.
pub(crate) fn screens() -> Pieces {
    let shown = prop_oneof![3 => text(), 2 => lines(), 2 => addresses(), 1 => plain_looks(), 1 => erases()];
    prop::collection::vec(shown, 0..10)
        .prop_map(|shown| format!("\x08\x1b[?1049h{}\x1b[?1049l", shown.concat()))
        .boxed()
}

pub(crate) fn modes() -> Pieces {
    prop_oneof![
        4 => (select(&[1, 7, 25, 1004, 1006, 2004][..]), select(&["h", "l"][..]))
            .prop_map(|(mode, on)| format!("\x1b[?{mode}{on}")),
        3 => one_of(&[
            "\x1b[4h",
            "\x1b[4l",
            "\x1b=",
            "\x1b>",
            "\x1b[?1000h",
            "\x1b[?1002h",
            "\x1b[?1003h",
            "\x1b[?1000;1002;1003l",
            "\x1b[>1u",
            "\x1b[>5u",
            "\x1b[<u",
            "\x1b]2;title\x07",
            "\x1b]0;other\x1b\\",
        ]),
    ]
    .boxed()
}

pub(crate) fn charsets() -> Pieces {
    one_of(&["\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "qx~a"])
}

pub(crate) fn links() -> Pieces {
    one_of(&["\x1b]8;;http://a\x07", "\x1b]8;id=1;http://b\x1b\\", "\x1b]8;;\x07"])
}

/// A full reset, the alignment pattern, a moment in origin mode: each made to end alike in both.
pub(crate) fn resets() -> Pieces {
    one_of(&[
        "\x1bc\x1b[?25h\x1b]2;t\x07",
        "\x1b[0m\x1b#8\x1b[H",
        "\x1b[?6h\x1b[2;4Horigin\x1b[9;18Hit\x1b[?6l\x1b[H",
    ])
}
