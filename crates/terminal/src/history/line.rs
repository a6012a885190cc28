//! How one line is written down.
//!
//! A byte of flags, the text with its length, then what the flags announce: style runs, the style of the columns
//! after the text, prompt marks, the stamp of its last change. In the text a plain character stands for a cell of its usual width; the bytes
//! 0–3, which no cell contains, introduce the rest.

use std::sync::Arc;

use crate::cell::{Cell, Glyph};
use crate::row::Row;
use crate::signal::{PromptMark, PromptMarks};
use crate::style::{LinkId, Style, StyleId};
use crate::tables::{Link, Tables};
use crate::width::width;

const WRAPPED: u8 = 1;
/// Every byte of the text is one cell.
const ASCII: u8 = 1 << 1;
const RUNS: u8 = 1 << 2;
const FILL: u8 = 1 << 3;
const MARKS: u8 = 1 << 4;
const STAMP: u8 = 1 << 5;

/// A cell that was never written.
const BLANK: u8 = 0;
/// A cluster: its width, its length, its text.
const CLUSTER: u8 = 1;
/// A character of an unusual width: the width, the character.
const UNUSUAL: u8 = 2;
/// A second half that lost its first.
const ORPHAN: u8 = 3;

/// Stands for a wide cell that lost its second half.
const WIDE_ALONE: u8 = 3;

/// Writes a row down; says how many columns it takes.
pub(crate) fn encode(
    row: &Row,
    tables: &Tables,
    out: &mut Vec<u8>,
    mut number: impl FnMut(StyleId) -> u32,
) -> usize {
    let cells = trimmed(row);
    let head = out.len();
    let mut flags = if row.wrapped { WRAPPED } else { 0 };
    out.push(0);
    let survey = encode_ascii(cells, out);
    if survey.ascii {
        flags |= ASCII;
    } else {
        out.truncate(head + 1);
        if !encode_chars(cells, out) {
            out.truncate(head + 1);
            encode_text(cells, tables, out);
        }
        let mut len = Vec::with_capacity(5);
        put_varint(&mut len, (out.len() - head - 1) as u32);
        out.splice(head + 1..head + 1, len);
    }
    if survey.styled {
        flags |= RUNS;
        encode_runs(cells, out, &mut number);
    }
    if row.fill != StyleId::DEFAULT {
        flags |= FILL;
        put_varint(out, number(row.fill));
    }
    if !row.marks.is_empty() {
        flags |= MARKS;
        let count = row.marks.iter().count() as u32;
        put_varint(out, count);
        row.marks.iter().for_each(|mark| put_varint(out, mark_number(mark)));
    }
    if row.stamp != 0 {
        flags |= STAMP;
        put_varint(out, row.stamp);
    }
    out[head] = flags;
    cells.len()
}

/// The cells without the blanks at the end that `fill` says anyway.
fn trimmed(row: &Row) -> &[Cell] {
    let blank = Cell::blank(row.fill);
    let len = row.cells().iter().rposition(|&cell| cell != blank).map_or(0, |last| last + 1);
    &row.cells()[..len]
}

/// What a look at all cells of a row told.
struct Survey {
    /// All are plain ASCII or blank.
    ascii: bool,
    /// Some style is not the default.
    styled: bool,
}

/// Writes length and bytes as if all cells were plain ASCII or blank, and says whether they are: there is no branch
/// in the loop.
fn encode_ascii(cells: &[Cell], out: &mut Vec<u8>) -> Survey {
    put_varint(out, cells.len() as u32);
    let start = out.len();
    out.resize(start + cells.len(), 0);
    let mut bytes = out[start..].chunks_exact_mut(8);
    let mut blocks = cells.chunks_exact(8);
    let mut all = 0;
    for (bytes, cells) in (&mut bytes).zip(&mut blocks) {
        for (byte, cell) in bytes.iter_mut().zip(cells) {
            *byte = cell.ascii_bits() as u8;
            all |= cell.ascii_bits();
        }
    }
    for (byte, cell) in bytes.into_remainder().iter_mut().zip(blocks.remainder()) {
        *byte = cell.ascii_bits() as u8;
        all |= cell.ascii_bits();
    }
    Survey { ascii: all as u32 >> 7 == 0, styled: all >> 32 != 0 }
}

/// Writes cells that are all characters of their usual width or blank; says whether they were.
fn encode_chars(cells: &[Cell], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    out.resize(start + cells.len() * 4, 0);
    let mut rest = &mut out[start..];
    let mut cells = cells.iter();
    let mut written = 0;
    while let Some(cell) = cells.next() {
        let Glyph::Char(c) = cell.glyph() else {
            if cell.is_blank() {
                rest = &mut rest[1..];
                written += 1;
                continue;
            }
            return false;
        };
        let usual = match cell.width() {
            2 => cells.next().is_some_and(|next| *next == Cell::continuation(cell.style())),
            _ => true,
        };
        if !usual || cell.width() != width(c) {
            return false;
        }
        let len = c.encode_utf8(rest).len();
        rest = &mut rest[len..];
        written += len;
    }
    out.truncate(start + written);
    true
}

/// Writes cells of every kind.
fn encode_text(cells: &[Cell], tables: &Tables, text: &mut Vec<u8>) {
    let mut at = 0;
    while at < cells.len() {
        let cell = cells[at];
        at += 1;
        let mut cell_width = cell.width();
        if cell_width == 2 {
            if cells.get(at).is_some_and(|next| next.is_continuation() && next.style() == cell.style()) {
                at += 1;
            } else {
                cell_width = WIDE_ALONE;
            }
        }
        match cell.glyph() {
            Glyph::Blank if cell.is_continuation() => text.push(ORPHAN),
            Glyph::Blank => text.push(BLANK),
            Glyph::Char(c) => {
                if cell_width != width(c) {
                    text.extend([UNUSUAL, cell_width]);
                }
                if c.is_ascii() {
                    text.push(c as u8);
                } else {
                    let mut bytes = [0; 4];
                    let len = c.encode_utf8(&mut bytes).len();
                    bytes[..len].iter().for_each(|&byte| text.push(byte));
                }
            }
            Glyph::Cluster(index) => {
                let cluster = tables.cluster(index);
                text.extend([CLUSTER, cell_width]);
                put_varint(text, cluster.len() as u32);
                text.extend_from_slice(cluster.as_bytes());
            }
        }
    }
}

fn encode_runs(cells: &[Cell], out: &mut Vec<u8>, number: &mut impl FnMut(StyleId) -> u32) {
    let mut rest = cells;
    while let Some(first) = rest.first() {
        let len = rest.iter().take_while(|cell| cell.style() == first.style()).count();
        put_varint(out, len as u32);
        put_varint(out, number(first.style()));
        rest = &rest[len..];
    }
}

fn mark_number(mark: PromptMark) -> u32 {
    match mark {
        PromptMark::Prompt => 0,
        PromptMark::Input => 1,
        PromptMark::Output => 2,
        PromptMark::Finished(None) => 3,
        // Shells tell codes from 0 to 255; the sign goes into the last bit.
        PromptMark::Finished(Some(code)) => {
            let code = code.clamp(-LARGEST_CODE, LARGEST_CODE);
            4 + (code.unsigned_abs() << 1 | u32::from(code < 0))
        }
    }
}

/// Exit codes beyond this are no shell's.
const LARGEST_CODE: i32 = 1 << 24;

fn mark_of(number: u32) -> PromptMark {
    match number {
        0 => PromptMark::Prompt,
        1 => PromptMark::Input,
        2 => PromptMark::Output,
        3 => PromptMark::Finished(None),
        code => {
            let code = code - 4;
            let size = (code >> 1) as i32;
            PromptMark::Finished(Some(if code & 1 == 1 { -size } else { size }))
        }
    }
}

#[inline]
fn put_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn take_varint(data: &mut &[u8]) -> u32 {
    let mut n = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = data.split_first() {
        *data = rest;
        n |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 || shift > 28 {
            break;
        }
    }
    n
}

/// A line as it was written down.
#[derive(Clone, Copy)]
pub(crate) struct StoredLine<'a> {
    text: &'a [u8],
    ascii: bool,
    /// Empty when the whole text has the default style.
    runs: &'a [u8],
    styles: &'a [Style],
    links: &'a [Arc<Link>],
    fill: u32,
    pub(crate) wrapped: bool,
    pub(crate) marks: PromptMarks,
    pub(crate) stamp: u32,
}

/// One cell of such a line.
#[derive(Clone, Copy)]
pub(crate) struct StoredCell<'a> {
    pub(crate) glyph: StoredGlyph<'a>,
    pub(crate) width: u8,
    /// A number to ask [`StoredLine::style`] about.
    pub(crate) style: u32,
}

/// What it shows.
#[derive(Clone, Copy)]
pub(crate) enum StoredGlyph<'a> {
    Blank,
    Char(char),
    Cluster(&'a str),
    Continuation,
}

pub(crate) fn decode<'a>(mut data: &'a [u8], styles: &'a [Style], links: &'a [Arc<Link>]) -> StoredLine<'a> {
    let flags = data.first().copied().unwrap_or(0);
    data = data.get(1..).unwrap_or(&[]);
    let len = take_varint(&mut data) as usize;
    let (text, mut rest) = data.split_at(len.min(data.len()));
    let mut line = StoredLine {
        text,
        ascii: flags & ASCII != 0,
        runs: &[],
        styles,
        links,
        fill: 0,
        wrapped: flags & WRAPPED != 0,
        marks: PromptMarks::default(),
        stamp: 0,
    };
    if flags & RUNS != 0 {
        let runs = rest;
        let mut left = if line.ascii { text.len() } else { line.cells().count() };
        while left > 0 && !rest.is_empty() {
            left = left.saturating_sub(take_varint(&mut rest) as usize);
            take_varint(&mut rest);
        }
        line.runs = &runs[..runs.len() - rest.len()];
    }
    if flags & FILL != 0 {
        line.fill = take_varint(&mut rest);
    }
    if flags & MARKS != 0 {
        for _ in 0..take_varint(&mut rest) {
            line.marks.add(mark_of(take_varint(&mut rest)));
        }
    }
    if flags & STAMP != 0 {
        line.stamp = take_varint(&mut rest);
    }
    line
}

impl<'a> StoredLine<'a> {
    /// The style a number stands for. Its link is a number for [`StoredLine::link`].
    pub(crate) fn style(&self, number: u32) -> Style {
        (number as usize).checked_sub(1).and_then(|index| self.styles.get(index)).copied().unwrap_or_default()
    }

    pub(crate) fn link(&self, id: LinkId) -> Option<&'a Arc<Link>> {
        self.links.get((id.0 as usize).checked_sub(1)?)
    }

    /// The number of the style after the last cell.
    pub(crate) fn fill(&self) -> u32 {
        self.fill
    }

    pub(crate) fn cells(&self) -> Cells<'a> {
        Cells { text: self.text, ascii: self.ascii, runs: self.runs, run: (0, 0), continuation: false }
    }

    /// The text without styles, and how many columns it takes.
    pub(crate) fn text(&self) -> (String, usize) {
        if self.ascii {
            let bytes = self.text.iter().map(|&byte| if byte == BLANK { b' ' } else { byte }).collect();
            return (String::from_utf8(bytes).unwrap_or_default(), self.text.len());
        }
        let mut text = String::with_capacity(self.text.len());
        let mut cols = 0;
        for cell in self.cells() {
            match cell.glyph {
                StoredGlyph::Blank => text.push(' '),
                StoredGlyph::Char(c) => text.push(c),
                StoredGlyph::Cluster(cluster) => text.push_str(cluster),
                StoredGlyph::Continuation => {}
            }
            cols += 1;
        }
        (text, cols)
    }

    /// True when a wide character lacks a half, or a second half its first.
    pub(crate) fn has_lone_half(&self) -> bool {
        let mut half_expected = false;
        for cell in self.cells() {
            if matches!(cell.glyph, StoredGlyph::Continuation) != half_expected {
                return true;
            }
            half_expected = cell.width == 2;
        }
        half_expected
    }

    /// The line as a row of a live screen.
    pub(crate) fn to_row(self, tables: &mut Tables) -> Row {
        let mut known: Option<(u32, StyleId)> = None;
        let mut id_of = |number: u32, tables: &mut Tables| match known {
            Some((seen, id)) if seen == number => id,
            _ => {
                let mut style = self.style(number);
                style.link = self.link(style.link).map_or(LinkId::NONE, |link| tables.add_link(link.clone()));
                let id = tables.styles.id(&style);
                known = Some((number, id));
                id
            }
        };
        let mut cells = Vec::new();
        for cell in self.cells() {
            let style = id_of(cell.style, tables);
            cells.push(match cell.glyph {
                StoredGlyph::Blank => Cell::blank(style),
                StoredGlyph::Char(c) => Cell::char(c, cell.width, style),
                StoredGlyph::Cluster(text) => Cell::cluster(tables.add_cluster(text), cell.width, style),
                StoredGlyph::Continuation => Cell::continuation(style),
            });
        }
        let fill = id_of(self.fill, tables);
        Row::from_cells(cells, fill, self.wrapped, self.marks).stamped(self.stamp)
    }
}

/// See [`StoredLine::cells`].
pub(crate) struct Cells<'a> {
    text: &'a [u8],
    ascii: bool,
    runs: &'a [u8],
    /// Cells left of the current run, and its style.
    run: (u32, u32),
    /// The second half of a wide character comes next.
    continuation: bool,
}

impl<'a> Cells<'a> {
    fn style(&mut self) -> u32 {
        if self.run.0 == 0 && !self.runs.is_empty() {
            self.run = (take_varint(&mut self.runs), take_varint(&mut self.runs));
        }
        self.run.0 = self.run.0.saturating_sub(1);
        self.run.1
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.text.split_at(len.min(self.text.len()));
        self.text = rest;
        taken
    }

    fn char(&mut self) -> char {
        let len = match self.text.first() {
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            Some(0xc0..) => 2,
            _ => 1,
        };
        let bytes = self.take(len);
        std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()).unwrap_or(' ')
    }

    fn glyph(&mut self) -> (StoredGlyph<'a>, u8) {
        match self.text[0] {
            BLANK => {
                self.take(1);
                (StoredGlyph::Blank, 1)
            }
            ORPHAN => {
                self.take(1);
                (StoredGlyph::Continuation, 0)
            }
            CLUSTER => {
                let width = self.take(2).get(1).copied().unwrap_or(1);
                let len = take_varint(&mut self.text) as usize;
                let text = std::str::from_utf8(self.take(len)).unwrap_or("");
                (StoredGlyph::Cluster(text), width)
            }
            UNUSUAL => {
                let width = self.take(2).get(1).copied().unwrap_or(1);
                (StoredGlyph::Char(self.char()), width)
            }
            byte @ 0x20..0x7f => {
                self.take(1);
                (StoredGlyph::Char(byte as char), 1)
            }
            _ => {
                let c = self.char();
                (StoredGlyph::Char(c), width(c))
            }
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = StoredCell<'a>;

    fn next(&mut self) -> Option<StoredCell<'a>> {
        if std::mem::take(&mut self.continuation) {
            return Some(StoredCell { glyph: StoredGlyph::Continuation, width: 0, style: self.style() });
        }
        if self.text.is_empty() {
            return None;
        }
        if self.ascii {
            let glyph = match self.take(1)[0] {
                BLANK => StoredGlyph::Blank,
                byte => StoredGlyph::Char(byte as char),
            };
            return Some(StoredCell { glyph, width: 1, style: self.style() });
        }
        let (glyph, width) = self.glyph();
        self.continuation = width == 2;
        Some(StoredCell { glyph, width: width.min(2), style: self.style() })
    }
}
