//! Columns for people.

use unicode_width::UnicodeWidthStr;

/// Spaces between two columns.
const GAP: usize = 2;

/// How a cell is coloured on a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tint {
    /// Not at all.
    #[default]
    Plain,
    /// Beside the point.
    Faint,
    /// A heading.
    Bold,
    /// All is well.
    Green,
    /// Worth a look.
    Yellow,
    /// Something is wrong.
    Red,
}

impl Tint {
    /// The text in this tint, if colours are taken.
    pub(crate) fn paint(self, text: &str, colours: bool) -> String {
        let parameter = match self {
            _ if !colours => return text.to_owned(),
            Tint::Plain => return text.to_owned(),
            Tint::Faint => 2,
            Tint::Bold => 1,
            Tint::Green => 32,
            Tint::Yellow => 33,
            Tint::Red => 31,
        };
        format!("\x1b[{parameter}m{text}\x1b[0m")
    }
}

/// A text and how it looks. The text is safe to show.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tint: Tint,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, tint: Tint) -> Cell {
        Cell { text: text.into(), tint }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text, Tint::Plain)
    }
}

/// The rows with their columns aligned. The last column is cut where a terminal so wide would break the line.
pub(crate) fn aligned<const N: usize>(
    rows: &[[Cell; N]],
    colours: bool,
    width_cols: Option<usize>,
) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.text.width());
        }
    }
    let before_last: usize = widths[..N - 1].iter().map(|width| width + GAP).sum();
    let mut out = String::new();
    for row in rows {
        for (index, cell) in row.iter().enumerate() {
            if index + 1 == N {
                let room = width_cols.map(|cols| cols.saturating_sub(before_last).max(GAP));
                out.push_str(&cell.tint.paint(&cut(&cell.text, room), colours));
            } else {
                out.push_str(&cell.tint.paint(&cell.text, colours));
                out.push_str(&" ".repeat(widths[index] - cell.text.width() + GAP));
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

/// As much of a text as fits so many columns, with an ellipsis where something is missing.
fn cut(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|&room| text.width() > room) else { return text.to_owned() };
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if kept.width() > room.saturating_sub(1) {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_what_they_take_on_the_screen() {
        let rows = [["NAME", "STATE"], ["日本", "live"], ["a", "exited 0"]].map(|row| row.map(Cell::from));
        assert_eq!(aligned(&rows, false, None), "NAME  STATE\n日本  live\na     exited 0\n");
        assert_eq!(aligned(&rows, false, Some(12)), "NAME  STATE\n日本  live\na     exite…\n");
    }

    #[test]
    fn a_table_has_colours_only_where_they_are_wanted() {
        let rows = [[Cell::new("a", Tint::Red), Cell::new("b", Tint::Green)]];
        assert_eq!(aligned(&rows, true, None), "\x1b[31ma\x1b[0m  \x1b[32mb\x1b[0m\n");
        assert_eq!(aligned(&rows, false, None), "a  b\n");
    }
}
