//! Going on with a recording that another process left.

use std::io;
use std::path::Path;

use model::{Epoch, ExitStatus, Offset, TermSize, WorkerId};

use crate::block::BlockKind;
use crate::directory::{self, APPENDING};
use crate::recording::Recording;
use crate::writer::Writer;

/// A recording that is taken up again, and how it stood.
#[derive(Debug)]
pub struct Reopened {
    /// Appends behind the last whole block; none if the newest segment is sealed, and another has to be begun.
    pub writer: Option<Writer>,
    /// Whose recording it is.
    pub worker: WorkerId,
    /// The offset after the last byte that was recorded.
    pub at: Offset,
    /// The last epoch that was recorded.
    pub epoch: Epoch,
    /// The last size that was recorded.
    pub size: TermSize,
    /// How the child ended, if that was recorded in the last epoch.
    pub exit: Option<ExitStatus>,
    /// How many bytes of a block that was not whole were cut from the end.
    pub cut_bytes: u64,
}

impl Writer {
    /// Takes up the newest segment that has a whole snapshot, after cutting what is no whole block from its end.
    ///
    /// Nothing is returned if there is no such segment, or no directory. No other process may be writing.
    ///
    /// # Errors
    ///
    /// When a file cannot be opened or cut.
    pub fn reopen(dir: &Path) -> io::Result<Option<Reopened>> {
        let recording = match Recording::open(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let Some(mut reader) = recording.newest()? else { return Ok(None) };
        let mut exit = None;
        for block in &mut reader {
            match block.kind {
                BlockKind::Exit(status) => exit = Some(status),
                // The worker was started again, with another child.
                BlockKind::Epoch(_) => exit = None,
                _ => (),
            }
        }
        let cut_bytes = reader.bytes_left();
        let writer = match reader.end_of_active() {
            Some(end) => {
                let file = directory::open(reader.path(), APPENDING)?;
                let mut writer = Writer::at_end_of(dir, reader.path().to_owned(), file, end, reader.at());
                writer.cut_tail()?;
                Some(writer)
            }
            None => None,
        };
        Ok(Some(Reopened {
            writer,
            worker: reader.head().worker,
            at: reader.at(),
            epoch: reader.epoch(),
            size: reader.size(),
            exit,
            cut_bytes,
        }))
    }
}
