//! Lines of bounded length.

use std::io::{self, BufRead};

use super::limits::Limits;
use super::refused::{ImportError, Refused};

/// How compressed files begin, and by which program's name people know them.
const COMPRESSED: [(&[u8], &str); 4] =
    [(b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ\0", "xz"), (b"BZh", "bzip2")];

/// Reads a file line by line, holding one of them.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    limits: Limits,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    /// The latest line had no end.
    torn: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, limits: Limits) -> Lines<R> {
        Lines { reader, limits, line: Vec::new(), number: 0, bytes: 0, torn: false }
    }

    /// The number of the latest line.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the latest line was the last one, and not ended.
    pub(super) fn is_torn(&self) -> bool {
        self.torn
    }

    /// The first line, which in a file of version 1 may be all of it.
    pub(super) fn first(&mut self) -> Result<Vec<u8>, ImportError> {
        let begin =
            self.reader.fill_buf().map_err(|error| ImportError { line: 1, why: Refused::Read(error) })?;
        if let Some((_, program)) = COMPRESSED.iter().find(|(magic, _)| begin.starts_with(magic)) {
            return Err(self.refused(Refused::Compressed(program)));
        }
        let most = self.limits.line_bytes.max(self.limits.old_bytes);
        while self.read(most)? {
            if !self.line.trim_ascii().is_empty() {
                return Ok(std::mem::take(&mut self.line));
            }
        }
        Err(self.refused(Refused::NotACast))
    }

    /// The first line and all that follows it.
    pub(super) fn all_after(&mut self, mut text: Vec<u8>) -> Result<Vec<u8>, ImportError> {
        let most = self.limits.old_bytes;
        while self.read(most)? {
            text.append(&mut self.line);
            if text.len() > most {
                return Err(self.refused(Refused::Old(most)));
            }
        }
        self.number = 1;
        if text.len() > most { Err(self.refused(Refused::Old(most))) } else { Ok(text) }
    }

    /// The next line that says something; lines that are empty or a remark do not.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, ImportError> {
        while self.read(self.limits.line_bytes)? {
            let text = self.line.trim_ascii();
            if !text.is_empty() && !text.starts_with(b"#") {
                return Ok(Some(self.line.trim_ascii()));
            }
        }
        Ok(None)
    }

    /// Reads one line, its end included; false if there is none.
    fn read(&mut self, most: usize) -> Result<bool, ImportError> {
        self.line.clear();
        self.number += 1;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.refused(Refused::Read(error))),
                Ok(buffer) => buffer,
            };
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            if self.line.len() + taken > most {
                return Err(self.refused(Refused::Line(most)));
            }
            self.line.extend_from_slice(&buffer[..taken]);
            self.reader.consume(taken);
            self.bytes += taken as u64;
            if self.bytes > self.limits.bytes {
                return Err(self.refused(Refused::Bytes(self.limits.bytes)));
            }
            if end.is_some() || taken == 0 {
                self.torn = end.is_none();
                return Ok(!self.line.is_empty());
            }
        }
    }

    fn refused(&self, why: Refused) -> ImportError {
        ImportError { line: self.number.max(1), why }
    }
}
