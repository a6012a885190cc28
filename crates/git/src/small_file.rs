//! Small files of git or of another program: read and written without being led elsewhere or kept waiting.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// More than any path or note that git keeps.
const MOST_BYTES: u64 = 64 << 10;

/// Opens an ordinary file. A link could lead anywhere, and a pipe would have us wait.
///
/// # Errors
///
/// When it is not there, and `InvalidInput` when it is something else.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let something_else = || io::Error::from(io::ErrorKind::InvalidInput);
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::NXIO) => something_else(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(something_else()) }
}

/// What is in a file, or its beginning if it is large, without the line break at its end.
///
/// # Errors
///
/// When it is no ordinary file, or cannot be read.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    bytes.truncate(bytes.trim_ascii_end().len());
    Ok(bytes)
}

/// Replaces a file as a whole. The new content first gets an unused name: a repository could have files of any
/// name, and links.
///
/// # Errors
///
/// When the disk refuses.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    for number in 0.. {
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(format!(".abide-{}-{number}", std::process::id()));
        let new = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&new) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(mut file) => {
                let written = file.write_all(bytes).and_then(|()| fs::rename(&new, path));
                if written.is_err() {
                    let _ = fs::remove_file(&new);
                }
                return written;
            }
        }
    }
    unreachable!("there is always another number")
}
