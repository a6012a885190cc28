//! Everything kept of a worker's output, as the lines that settled.

use std::cell::RefCell;
use std::sync::Arc;

use masking::TextMasker;
use model::Offset;
use playback::{MaskedRecording, Source, lines};
use recording::{Block, BlockKind, Segment};

use super::{LogError, Sink};
use crate::pieces::Missing;

/// So much is gathered before it is written.
const GATHERED_BYTES: usize = 64 << 10;

/// Shows the lines that changed last at a time that is wanted, and says what is missing among them.
pub(super) fn show(
    recording: &MaskedRecording,
    is_wanted: impl Fn(u64) -> bool,
    sink: &mut dyn Sink,
) -> Result<(), LogError> {
    let heard = Heard { recording, seen: RefCell::default() };
    // What a program drew in pieces all over the screen is a line only here.
    let mut masker = TextMasker::new(Arc::clone(recording.rules()));
    let mut text = String::new();
    for line in lines(&heard, Offset(0)) {
        heard.tell(&mut text, &is_wanted, sink)?;
        // The masker reads unwanted lines too: a private key may begin in one.
        let masked = masker.line(&line.text).text;
        if is_wanted(line.time_us) {
            text.push_str(&masked);
            text.push('\n');
        }
        if text.len() >= GATHERED_BYTES {
            write(sink, &mut text)?;
        }
    }
    heard.tell(&mut text, &is_wanted, sink)?;
    write(sink, &mut text)
}

fn write(sink: &mut dyn Sink, text: &mut String) -> Result<(), LogError> {
    match std::mem::take(text) {
        text if text.is_empty() => Ok(()),
        text => sink.write(text.as_bytes()).map_err(LogError::Sink),
    }
}

/// A recording that is listened to while it is read.
struct Heard<'a> {
    recording: &'a MaskedRecording,
    seen: RefCell<Seen>,
}

/// What went by.
#[derive(Default)]
struct Seen {
    /// The offset after it.
    at: Offset,
    /// What is missing in it and was not told yet, and when that was.
    missing: Vec<(u64, Missing)>,
}

impl Heard<'_> {
    /// Says what is missing, behind the text that comes before it.
    fn tell(
        &self,
        text: &mut String,
        is_wanted: impl Fn(u64) -> bool,
        sink: &mut dyn Sink,
    ) -> Result<(), LogError> {
        for (time_us, missing) in std::mem::take(&mut self.seen.borrow_mut().missing) {
            if is_wanted(time_us) {
                write(sink, text)?;
                sink.missing(missing).map_err(LogError::Sink)?;
            }
        }
        Ok(())
    }
}

impl Seen {
    fn take_in(&mut self, block: &Block) {
        let missing = match block.kind {
            BlockKind::Snapshot(_) if block.at > self.at => {
                Some(Missing { from: self.at, to: Some(block.at) })
            }
            BlockKind::Gap { to } if block.at >= self.at => Some(Missing { from: block.at, to }),
            _ => None,
        };
        self.missing.extend(missing.map(|missing| (block.time_us, missing)));
        self.at = self.at.max(block.end().unwrap_or(block.at));
    }
}

impl Source for Heard<'_> {
    fn segments(&self) -> &[Segment] {
        self.recording.segments()
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        let blocks = self.recording.blocks(index);
        Box::new(blocks.inspect(|block| self.seen.borrow_mut().take_in(block)))
    }
}
