//! The directory of a recording: names, numbers, and the rights on them.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// The digits of a segment's number, so that names sort as numbers do.
const DIGITS: usize = 8;

/// The last number that has so many digits.
const LAST_NUMBER: u32 = 99_999_999;

/// What the name of a segment ends with, behind the dot.
const ACTIVE: &str = "active";
const SEALED: &str = "sealed";

/// What the name of a sealed segment ends with until it is whole.
const SEALING: &str = "sealing";

/// How a writer opens a file. It appends to the file's end: had the file been truncated meanwhile, a
/// position of its own would leave a hole that looks like the missing bytes.
pub(crate) const APPENDING: OFlags = OFlags::WRONLY.union(OFlags::APPEND);

/// How a reader opens a file.
pub(crate) const READING: OFlags = OFlags::RDONLY;

/// The owner alone reads and enters.
const DIRECTORY_MODE: u32 = 0o700;

/// A segment's file, not opened yet.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// Whether a file is named as an active segment.
pub(crate) fn is_active(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == ACTIVE)
}

/// The segments, oldest first. Names that are not ours, links, directories and pipes are none. Of a segment that is
/// there both active and sealed, the sealed one counts: a process was stopped just before it removed the other.
pub(crate) fn segments(dir: &Path) -> io::Result<Vec<Entry>> {
    let mut segments = files(dir, |kind| kind == ACTIVE || kind == SEALED)?;
    segments.sort_by(|a, b| (a.number, &b.path).cmp(&(b.number, &a.path)));
    segments.dedup_by_key(|segment| segment.number);
    Ok(segments)
}

/// Every file that belongs to a segment, whole or not, oldest first.
pub(crate) fn all_files(dir: &Path) -> io::Result<Vec<Entry>> {
    let mut all = files(dir, |kind| [ACTIVE, SEALED, SEALING].contains(&kind))?;
    all.sort_by(|a, b| (a.number, &a.path).cmp(&(b.number, &b.path)));
    all.dedup_by(|a, b| a.path == b.path);
    Ok(all)
}

/// Leftovers of a sealing that was stopped: files that were not whole yet, and active segments that have sealed
/// ones beside them.
pub(crate) fn leftovers(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let all = files(dir, |kind| kind == ACTIVE || kind == SEALING)?.into_iter().map(|file| file.path);
    Ok(all.filter(|path| sealed_in_place_of(path).is_none_or(|sealed| sealed.is_file())).collect())
}

fn files(dir: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<Entry>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some((number, kind)) = name.to_str().and_then(number_and_kind) else { continue };
        if !is_wanted(kind) {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.is_file() => {
                files.push(Entry { number, path: entry.path(), bytes: metadata.len() });
            }
            Ok(_) => (),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // An active segment may have been sealed since the directory was listed.
                let path = sealed_in_place_of(&entry.path()).filter(|_| is_wanted(SEALED));
                let sealed = path.and_then(|path| Some((fs::symlink_metadata(&path).ok()?.len(), path)));
                files.extend(sealed.map(|(bytes, path)| Entry { number, path, bytes }));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// The number of a segment with this path.
pub(crate) fn number_of(path: &Path) -> Option<u32> {
    match number_and_kind(path.file_name()?.to_str()?)? {
        (number, ACTIVE | SEALED) => Some(number),
        _ => None,
    }
}

/// The path that an active segment has once it is sealed.
pub(crate) fn sealed_in_place_of(path: &Path) -> Option<PathBuf> {
    let (_, kind) = number_and_kind(path.file_name()?.to_str()?)?;
    (kind == ACTIVE).then(|| path.with_extension(SEALED))
}

/// The paths of an active segment while it is being sealed, and then.
pub(crate) fn sealing_and_sealed(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let sealed = sealed_in_place_of(path);
    let sealed =
        sealed.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not an active segment"))?;
    Ok((path.with_extension(SEALING), sealed))
}

/// Makes the directory if there is none, and sees that only its owner may enter.
///
/// The directory's own parent has to exist.
pub(crate) fn prepare(dir: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(DIRECTORY_MODE).create(dir) {
        Ok(()) => (),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
        Err(error) => return Err(error),
    }
    let metadata = fs::symlink_metadata(dir)?;
    if !metadata.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    // The umask may have taken bits away that are needed, and the directory may have been made with too many.
    if metadata.permissions().mode() & 0o777 != DIRECTORY_MODE {
        fs::set_permissions(dir, Permissions::from_mode(DIRECTORY_MODE))?;
    }
    Ok(())
}

/// Creates the segment after all there are, and after `last`.
///
/// Files of every kind count, so that a number is not given twice even if its segment now goes by another name.
pub(crate) fn create_next(dir: &Path, last: u32) -> io::Result<(PathBuf, File)> {
    let mut number = last;
    for entry in fs::read_dir(dir)? {
        if let Some((taken, _)) = entry?.file_name().to_str().and_then(number_and_kind) {
            number = number.max(taken);
        }
    }
    while number < LAST_NUMBER {
        number += 1;
        let path = dir.join(format!("{number:0DIGITS$}.{ACTIVE}"));
        match create(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("the recording has no number left for another segment"))
}

fn create(path: &Path) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    let flags = APPENDING | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, mode)?;
    // The umask may have taken bits away.
    rustix::fs::fchmod(&file, mode)?;
    Ok(file.into())
}

/// Opens a segment that exists, and nothing but a regular file.
pub(crate) fn open(path: &Path, access: OFlags) -> io::Result<File> {
    // Without NONBLOCK, opening a pipe of that name would wait for a writer.
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

fn number_and_kind(name: &str) -> Option<(u32, &str)> {
    let (digits, kind) = name.split_once('.')?;
    let is_number = digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten().map(|number| (number, kind))
}
