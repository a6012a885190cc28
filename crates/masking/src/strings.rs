//! Control strings: titles, links, directories, command lines, clipboards.
//!
//! The text of a string is a line of its own. Pictures are not looked at.

use grammar::StringKind;

use crate::columns;
use crate::encodings;
use crate::mask::Mask;
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
        if let Some(from) = self.clipboard_at(kind) {
            let bytes = encodings::from_base64(&self.text[from..]);
            if shadow.has_secret(&String::from_utf8_lossy(&bytes)) {
                self.mask(from, self.text.len(), shadow);
            }
            return;
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
            self.mask(self.starts[hit.start] as usize, self.starts[hit.end] as usize, shadow);
        }
    }

    fn mask(&self, from: usize, to: usize, shadow: &mut Shadow) {
        let position = self.at + from as u64;
        let masks = (position..).zip(0..to - from).map(|(at, index)| Mask::of_byte(at, index, to - from));
        shadow.masks.extend(masks);
    }

    /// Sixel and kitty pictures, and files of iTerm2.
    fn is_picture(&self, kind: StringKind) -> bool {
        match kind {
            StringKind::System => ["1337;File=", "1337;FilePart=", "1337;MultipartFile="]
                .iter()
                .any(|head| self.text.starts_with(head.as_bytes())),
            StringKind::Device => {
                let parameters =
                    self.text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
                self.text.get(parameters) == Some(&b'q')
            }
            StringKind::Other => self.text.first() == Some(&b'G'),
        }
    }

    /// Where the base64 of a clipboard begins (OSC 52).
    fn clipboard_at(&self, kind: StringKind) -> Option<usize> {
        if kind != StringKind::System || !self.text.starts_with(b"52;") {
            return None;
        }
        let targets = self.text[3..].iter().position(|byte| *byte == b';')?;
        Some(3 + targets + 1)
    }
}
