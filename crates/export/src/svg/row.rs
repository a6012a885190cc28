//! A row of a screen as elements of a picture.

use std::fmt::Write;

use terminal::{Span, StyledRow, width};

use super::markup::{BASELINE, CELL_HEIGHT, CELL_WIDTH, xml};
use super::shapes::{is_shape, is_wide, path};
use super::sheet::{Class, Sheet};
use crate::link::is_web;
use crate::page_text::turns_text;

/// The class of characters that are drawn as shapes: as text they are there to be copied, and not seen.
pub(super) const UNSEEN: &str = "n";

/// What there is to see in a row, wherever that row is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Row {
    backs: Vec<Back>,
    shapes: Vec<Shape>,
    /// The text element without its beginning: attributes, and what it holds.
    text: String,
}

/// A colour behind some columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Back {
    col: u16,
    cols: u16,
    class: Class,
}

/// Characters of one kind that are drawn as a shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    c: char,
    col: u16,
    cols: u16,
    class: Option<Class>,
}

/// What stands in a cell.
struct Cell<'a> {
    text: String,
    col: u16,
    look: Look,
    link: Option<&'a str>,
}

/// How text looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Styled(Class),
    /// It is drawn as a shape.
    Unseen,
}

impl Row {
    /// The row of a screen so many columns wide.
    pub(super) fn draw(row: &StyledRow, cols: u16, sheet: &mut Sheet) -> Row {
        let mut drawn = Row::default();
        let mut cells = Vec::new();
        let mut col = 0;
        for span in &row.spans {
            drawn.back(col, span.cols, sheet.behind(&span.style));
            let class = sheet.text(&span.style);
            let link = span.link.as_ref().map(|link| link.uri.as_str()).filter(|uri| is_web(uri));
            for (text, width) in cells_of(span, col == 0) {
                let look = drawn.look(&text, col, class);
                cells.extend((!text.is_empty()).then_some(Cell { text, col, look, link }));
                col += width;
            }
        }
        drawn.back(col, cols.saturating_sub(col), sheet.behind(&row.fill));
        while cells
            .last()
            .is_some_and(|cell| cell.text == " " && cell.look == Look::Plain && cell.link.is_none())
        {
            cells.pop();
        }
        drawn.text = text(&cells);
        drawn
    }

    /// About how much it takes in a file.
    pub(super) fn bytes(&self) -> usize {
        40 * (self.backs.len() + self.shapes.len()) + self.text.len()
    }

    /// Writes the elements, for a row whose upper edge is at `top`, with a class for when they are visible.
    pub(super) fn write(&self, top: i64, class: Option<&str>, out: &mut String) {
        let class = class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
        let baseline = top + BASELINE;
        if self.backs.is_empty() && self.shapes.is_empty() {
            let _ = write!(out, "<text{class} y=\"{baseline}\"{}", self.text);
            return;
        }
        let _ = write!(out, "<g{class}>");
        for Back { col, cols, class } in &self.backs {
            let (x, width) = (i64::from(*col) * CELL_WIDTH, i64::from(*cols) * CELL_WIDTH);
            let _ = write!(
                out,
                "<rect class=\"s{class}\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{CELL_HEIGHT}\"/>"
            );
        }
        for shapes in self.shapes.chunk_by(|one, next| one.class == next.class) {
            let class = shapes[0].class.map(|class| format!(" class=\"s{class}\"")).unwrap_or_default();
            let _ = write!(out, "<path{class} d=\"");
            for shape in shapes {
                out.push_str(&path(shape.c, shape.cols, (i64::from(shape.col) * CELL_WIDTH, top)));
            }
            out.push_str("\"/>");
        }
        if !self.text.is_empty() {
            let _ = write!(out, "<text y=\"{baseline}\"{}", self.text);
        }
        out.push_str("</g>");
    }

    fn back(&mut self, col: u16, cols: u16, class: Option<Class>) {
        let Some(class) = class.filter(|_| cols > 0) else { return };
        match self.backs.last_mut() {
            Some(back) if back.class == class && back.col + back.cols == col => back.cols += cols,
            _ => self.backs.push(Back { col, cols, class }),
        }
    }

    /// How a cell's text looks; what is a shape is added to the shapes.
    fn look(&mut self, text: &str, col: u16, class: Option<Class>) -> Look {
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(c), None) if is_shape(c) => {
                match self.shapes.last_mut() {
                    Some(shape)
                        if shape.c == c
                            && shape.class == class
                            && shape.col + shape.cols == col
                            && is_wide(c) =>
                    {
                        shape.cols += 1;
                    }
                    _ => self.shapes.push(Shape { c, col, cols: 1, class }),
                }
                Look::Unseen
            }
            _ => class.map_or(Look::Plain, Look::Styled),
        }
    }
}

/// What stands in the cells of a span, and how many columns each takes. Marks that turn text around are left out.
fn cells_of(span: &Span, begins_row: bool) -> Vec<(String, u16)> {
    let mut cells: Vec<(String, u16)> = Vec::new();
    for c in span.text.chars() {
        let text = if turns_text(c) { String::new() } else { c.to_string() };
        match (width(c), cells.last_mut()) {
            (0, Some((cell, _))) => cell.push_str(&text),
            // Where a row begins there is nothing that a mark could join, so it has a cell of its own.
            (0, None) if begins_row => cells.push((text, 1)),
            (columns, _) => cells.push((text, columns.into())),
        }
    }
    if cells.iter().map(|(_, cols)| cols).sum::<u16>() == span.cols {
        return cells;
    }
    // The terminal joined characters that each have a width of their own; only it knows where each of them is.
    vec![(cells.into_iter().map(|(text, _)| text).collect(), span.cols)]
}

/// The text element of a row, without its beginning.
fn text(cells: &[Cell<'_>]) -> String {
    let [first, ..] = cells else { return String::new() };
    let last = cells.last().unwrap_or(first);
    let mut out = String::new();
    if first.col == 0 && cells.iter().all(|cell| cell.text.is_ascii()) {
        // All of it is in any font for terminals, so it is enough to say how long it is.
        let _ = write!(out, " textLength=\"{}\">", i64::from(last.col + 1) * CELL_WIDTH);
        write_runs(cells, &mut out);
    } else {
        // Every character is told its place. That ends with one that is more than one number: it is drawn as a whole.
        let parts: Vec<&[Cell<'_>]> = cells.chunk_by(|cell, _| is_one_unit(&cell.text)).collect();
        let places = |cells: &[Cell<'_>]| -> String {
            let places: Vec<String> =
                cells.iter().map(|cell| (i64::from(cell.col) * CELL_WIDTH).to_string()).collect();
            format!(" x=\"{}\">", places.join(" "))
        };
        match parts.as_slice() {
            [part] => {
                out.push_str(&places(part));
                write_runs(part, &mut out);
            }
            parts => {
                out.push('>');
                for part in parts {
                    let _ = write!(out, "<tspan{}", places(part));
                    write_runs(part, &mut out);
                    out.push_str("</tspan>");
                }
            }
        }
    }
    out.push_str("</text>");
    out
}

/// Whether a text is one number in UTF-16, by which places are counted.
fn is_one_unit(text: &str) -> bool {
    text.encode_utf16().count() == 1
}

/// Writes cells, those of one look together.
fn write_runs(cells: &[Cell<'_>], out: &mut String) {
    let same = |one: &Cell<'_>, next: &Cell<'_>| one.look == next.look && one.link == next.link;
    for run in cells.chunk_by(same) {
        let text: String = run.iter().map(|cell| xml(&cell.text)).collect();
        let link = run[0].link.map(xml);
        if let Some(link) = &link {
            let _ = write!(out, "<a href=\"{link}\" target=\"_blank\" rel=\"noopener noreferrer\">");
        }
        let _ = match run[0].look {
            Look::Plain => write!(out, "{text}"),
            Look::Styled(class) => write!(out, "<tspan class=\"s{class}\">{text}</tspan>"),
            Look::Unseen => write!(out, "<tspan class=\"{UNSEEN}\">{text}</tspan>"),
        };
        if link.is_some() {
            out.push_str("</a>");
        }
    }
}

#[cfg(test)]
mod tests {
    use model::TermSize;
    use terminal::{HistoryLimit, Terminal};

    use super::*;
    use crate::svg::Theme;

    fn drawn(printed: &str) -> String {
        let mut terminal = Terminal::new(TermSize::clamped(8, 2), HistoryLimit::default());
        terminal.feed(printed.as_bytes());
        let row = terminal.rows().next().unwrap();
        let mut out = String::new();
        Row::draw(&row, 8, &mut Sheet::new(Theme::Dark)).write(18, None, &mut out);
        out
    }

    #[test]
    fn ascii_is_held_to_its_length_and_everything_else_to_its_places() {
        assert_eq!(drawn("a <b>  "), "<text y=\"32\" textLength=\"45\">a &lt;b&gt;</text>");
        assert_eq!(drawn("a\u{65e5}b"), "<text y=\"32\" x=\"0 9 27\">a\u{65e5}b</text>");
        assert_eq!(
            drawn("a\u{1f44d}e\u{301}x"),
            "<text y=\"32\"><tspan x=\"0 9\">a\u{1f44d}</tspan><tspan x=\"27\">e\u{301}</tspan><tspan x=\"36\">x</tspan></text>"
        );
    }

    #[test]
    fn marks_have_the_columns_that_the_terminal_gave_them() {
        assert_eq!(drawn("\u{202e}ab"), "<text y=\"32\" x=\"9 18\">ab</text>");
        assert_eq!(drawn("a\u{202e}b"), "<text y=\"32\" textLength=\"18\">ab</text>");
        assert_eq!(drawn("\u{301}b"), "<text y=\"32\" x=\"0 9\">\u{301}b</text>");
    }

    #[test]
    fn looks_have_classes_and_backgrounds_reach_the_edge() {
        assert_eq!(
            drawn("a\x1b[31mb\x1b[41m\x1b[K"),
            "<g><rect class=\"s1\" x=\"18\" y=\"18\" width=\"54\" height=\"18\"/>\
             <text y=\"32\" textLength=\"18\">a<tspan class=\"s0\">b</tspan></text></g>"
        );
    }

    #[test]
    fn lines_are_shapes_and_can_be_copied() {
        assert_eq!(
            drawn("\u{2500}\u{2500}x"),
            "<g><path d=\"M0 27h18v1h-18z\"/><text y=\"32\" x=\"0 9 18\"><tspan class=\"n\">\u{2500}\u{2500}</tspan>x</text></g>"
        );
    }

    #[test]
    fn s24_links_lead_to_the_web_or_nowhere() {
        let link = |uri: &str| drawn(&format!("\x1b]8;;{uri}\x1b\\x\x1b]8;;\x1b\\"));
        assert_eq!(link("javascript:alert(1)"), "<text y=\"32\" textLength=\"9\">x</text>");
        assert_eq!(link("file:///etc/passwd"), "<text y=\"32\" textLength=\"9\">x</text>");
        assert_eq!(
            link("https://example.org/?a=1&b=\"2\""),
            "<text y=\"32\" textLength=\"9\"><a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\" target=\"_blank\" rel=\"noopener noreferrer\">x</a></text>"
        );
    }
}
