//! The records of a page: what it is told, each thing once.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use model::TermSize;
use serde::Serialize;
use serde_json::json;
use terminal::{StyledRow, css};

use super::rows;
use crate::error::ExportError;
use crate::marker::Marker;
use crate::style_css::Scheme;
use crate::subject::Subject;

/// More than this is too much for a browser, which needs several times as much for it.
const MOST_BYTES: u64 = 128 << 20;

/// Rows and styles that are remembered take no more than this; after that, some are sent again.
const REMEMBERED_BYTES: usize = 24 << 20;

/// What remembering one of them takes beside its text.
const ENTRY_BYTES: usize = 64;

/// Writes records.
pub(super) struct Records<W: Write> {
    out: ZlibEncoder<W>,
    bytes: u64,
    size: TermSize,
    rows: Numbers,
    styles: Numbers,
}

/// Texts and their numbers.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, u32>,
    known_bytes: usize,
    next: u32,
}

impl<W: Write> Records<W> {
    /// Writes the first record.
    pub(super) fn begin(out: W, subject: &Subject, begin_us: u64, size: TermSize) -> io::Result<Records<W>> {
        let out = ZlibEncoder::new(out, Compression::best());
        // Number 0 is the plain style, and the blank row.
        let numbers =
            |blank: &str| Numbers { known: HashMap::from([(blank.to_owned(), 0)]), known_bytes: 0, next: 1 };
        let mut records = Records { out, bytes: 0, size, rows: numbers("[0]"), styles: numbers("") };
        records.write(&json!({
            "worker": subject.worker,
            "begin": begin_us / 1000,
            "cols": size.cols(),
            "rows": size.rows(),
        }))?;
        Ok(records)
    }

    /// Tells that the size is another one from the next moment on, if it is; all rows are blank then. Says whether.
    pub(super) fn size(&mut self, size: TermSize, rows: &mut Vec<StyledRow>) -> io::Result<bool> {
        if size == self.size {
            return Ok(false);
        }
        self.size = size;
        rows.clear();
        rows.resize(usize::from(size.rows()), StyledRow::default());
        self.write(&(2, size.cols(), size.rows()))?;
        Ok(true)
    }

    /// The number of a row, which is told if it was not before.
    pub(super) fn row(&mut self, row: &StyledRow) -> io::Result<u32> {
        let cols = self.size.cols();
        let record = rows::record(row, cols, |style| self.style(&css(style, &Scheme::Dark)))?;
        match self.rows.number(&record) {
            Number::Known(number) => Ok(number),
            Number::New(number) => {
                self.line(record.as_bytes())?;
                Ok(number)
            }
        }
    }

    /// Tells of a moment, so many milliseconds after the one before: which rows changed, and to which.
    pub(super) fn moment(&mut self, ms: u64, cursor: i64, rows: &[(usize, u32)]) -> Result<(), ExportError> {
        let mut line = format!("[1,{ms},{cursor}");
        for (index, number) in rows {
            line.push_str(&format!(",{index},{number}"));
        }
        line.push(']');
        self.line(line.as_bytes())?;
        if self.bytes > MOST_BYTES { Err(ExportError::TooLong) } else { Ok(()) }
    }

    /// Tells of a marker, so many milliseconds after the beginning.
    pub(super) fn marker(&mut self, ms: u64, marker: &Marker) -> io::Result<()> {
        self.write(&(3, ms, marker.kind.name(), &marker.label))
    }

    /// Writes what is left.
    pub(super) fn end(self) -> io::Result<W> {
        self.out.finish()
    }

    fn style(&mut self, rules: &str) -> io::Result<u32> {
        match self.styles.number(rules) {
            Number::Known(number) => Ok(number),
            Number::New(number) => {
                self.write(&rules)?;
                Ok(number)
            }
        }
    }

    fn write(&mut self, record: &impl Serialize) -> io::Result<()> {
        let line = serde_json::to_vec(record)?;
        self.line(&line)
    }

    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.bytes += line.len() as u64 + 1;
        self.out.write_all(line)?;
        self.out.write_all(b"\n")
    }
}

enum Number {
    Known(u32),
    New(u32),
}

impl Numbers {
    fn number(&mut self, text: &str) -> Number {
        if let Some(number) = self.known.get(text) {
            return Number::Known(*number);
        }
        if self.known_bytes > REMEMBERED_BYTES {
            (self.known, self.known_bytes) = (HashMap::new(), 0);
        }
        let number = self.next;
        self.next += 1;
        self.known_bytes += text.len() + ENTRY_BYTES;
        self.known.insert(text.to_owned(), number);
        Number::New(number)
    }
}
