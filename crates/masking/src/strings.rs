//! Control strings: titles, links, directories, command lines, clipboards, notifications.
//!
//! The text of a string is a line of its own. Pictures are not looked at.

mod encoded;

use grammar::StringKind;

use crate::columns;
use crate::mask::Mask;
use crate::rules::Source;
use crate::shadow::Shadow;

/// So much of a string is looked at. What says something is shorter; what is longer is a picture or a file.
const MAX_TEXT: usize = 64 << 10;
/// More than this is not kept allocated between strings.
const KEEP_CAPACITY: usize = 4096;

/// A string in the making.
#[derive(Debug, Default)]
pub(crate) struct StringText {
    /// Every byte of it, so that a byte's index is its distance from the beginning.
    text: Vec<u8>,
    at: u64,
    line: Vec<u8>,
    starts: Vec<u32>,
}

impl StringText {
    pub(crate) fn begin(&mut self, at: u64) {
        self.at = at;
        self.text.clear();
        self.text.shrink_to(KEEP_CAPACITY);
    }

    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = MAX_TEXT - self.text.len();
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Masks what is secret in the string, as far as it has come.
    pub(crate) fn look(&mut self, kind: StringKind, shadow: &mut Shadow) {
        if self.is_picture(kind) {
            return;
        }
        if let Some(payload) = encoded::payload(kind, &self.text) {
            if let Some(source) = payload.text().and_then(|text| shadow.first_secret(&text)) {
                self.mask(payload.from, self.text.len(), source, shadow);
                return;
            }
            if payload.is_always_base64 {
                return;
            }
        }
        self.line.clear();
        self.starts.clear();
        self.line.shrink_to(KEEP_CAPACITY);
        self.starts.shrink_to(KEEP_CAPACITY);
        let mut at = 0;
        for chunk in self.text.utf8_chunks() {
            for c in chunk.valid().chars() {
                let cols = columns::push(&mut self.line, c);
                self.starts.extend((0..cols).map(|_| at as u32));
                at += c.len_utf8();
            }
            at += chunk.invalid().len();
        }
        self.starts.push(at as u32);
        for hit in shadow.secrets(&self.line) {
            let (from, to) = (self.starts[hit.columns.start], self.starts[hit.columns.end]);
            self.mask(from as usize, to as usize, hit.source, shadow);
        }
    }

    fn mask(&self, from: usize, to: usize, source: Source, shadow: &mut Shadow) {
        let position = self.at + from as u64;
        let of = to - from;
        let masks = (position..).zip(0..of).map(|(at, index)| Mask::of_byte(at, index, of, source));
        shadow.masks.extend(masks);
    }

    /// Sixel and kitty pictures.
    fn is_picture(&self, kind: StringKind) -> bool {
        match kind {
            StringKind::System => false,
            StringKind::Device => {
                let parameters =
                    self.text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
                self.text.get(parameters) == Some(&b'q')
            }
            StringKind::Other => self.text.first() == Some(&b'G'),
        }
    }
}
