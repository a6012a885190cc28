//! Pictures and other files that a person gives to a program.
//!
//! They are kept in the worker's directory, under names of our choosing, and are never run and never served. The program
//! is given the path, as if it had been pasted.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use api::{ErrorCode, Problem};
use home::WorkerDir;
use jiff::Timestamp;
use rustix::fs::OFlags;

/// A screenshot of a large screen takes a few megabytes.
pub(crate) const MOST_FILE_BYTES: usize = 10 << 20;

/// So many are kept for each worker. Older ones have been looked at long ago.
const MOST_FILES: usize = 100;

/// Longer endings say nothing about a file.
const MOST_EXTENSION_LETTERS: usize = 8;

/// What a file is said to be that is no picture.
pub(crate) const ANY_FILE: &str = "application/octet-stream";

/// A kind of picture that programs understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl Kind {
    /// What a file is, by how it begins.
    fn of(file: &[u8]) -> Option<Kind> {
        match file {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Kind::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Kind::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Kind::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Kind::Webp),
            _ => None,
        }
    }

    fn mime_type(self) -> &'static str {
        match self {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
            Kind::Gif => "image/gif",
            Kind::Webp => "image/webp",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Kind::Png => "png",
            Kind::Jpeg => "jpg",
            Kind::Gif => "gif",
            Kind::Webp => "webp",
        }
    }
}

/// Keeps a picture beside a worker, and says where. `said` is what it is said to be, where somebody said so.
///
/// # Errors
///
/// When it is too large, no picture, another one than it is said to be, or when the disk refuses.
pub(crate) async fn keep_image(
    dir: &WorkerDir,
    file: Vec<u8>,
    said: Option<&str>,
) -> Result<PathBuf, Problem> {
    let kind = check_image(&file, said)?;
    keep(dir, file, Some(kind.extension().to_owned())).await
}

/// Keeps any file beside a worker, and says where. Of the name that it had only a plain ending is kept: programs go by it.
///
/// # Errors
///
/// When it is too large, or when the disk refuses.
pub(crate) async fn keep_file(dir: &WorkerDir, file: Vec<u8>, name: &str) -> Result<PathBuf, Problem> {
    check_size(&file)?;
    keep(dir, file, extension_of(name).map(ToOwned::to_owned)).await
}

/// What is typed to give a program a file: its path, quoted where a shell would need that, and a space.
pub(crate) fn pasted(path: &Path, bracketed: bool) -> Vec<u8> {
    let path = path.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%:,".contains(c);
    let quoted = match path.chars().all(plain) {
        true => path.into_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    };
    viewer::paste(format!("{quoted} ").as_bytes(), bracketed)
}

fn check_size(file: &[u8]) -> Result<(), Problem> {
    if file.len() > MOST_FILE_BYTES {
        let most = MOST_FILE_BYTES >> 20;
        return Err(Problem::new(ErrorCode::BodyTooLarge, format!("a file has at most {most} MiB")));
    }
    Ok(())
}

fn check_image(file: &[u8], said: Option<&str>) -> Result<Kind, Problem> {
    check_size(file)?;
    let kind = Kind::of(file).filter(|kind| said.is_none_or(|said| said == kind.mime_type()));
    kind.ok_or_else(|| {
        Problem::new(ErrorCode::UnsupportedMediaType, "this is not the picture that it is said to be")
            .hint("PNG, JPEG, GIF and WebP are understood")
    })
}

/// What a file's name ends in, if that is something which can stand in any name.
fn extension_of(name: &str) -> Option<&str> {
    let extension = Path::new(name).extension()?.to_str()?;
    let plain = extension.len() <= MOST_EXTENSION_LETTERS
        && !extension.is_empty()
        && extension.bytes().all(|letter| letter.is_ascii_alphanumeric());
    plain.then_some(extension)
}

async fn keep(dir: &WorkerDir, file: Vec<u8>, extension: Option<String>) -> Result<PathBuf, Problem> {
    let dir = dir.path().join("uploads");
    let kept = tokio::task::spawn_blocking(move || write(&dir, &file, extension.as_deref())).await;
    kept.map_err(io::Error::other).flatten().map_err(|error| {
        tracing::warn!(%error, "a file is not kept");
        Problem::new(ErrorCode::Unavailable, format!("the file cannot be saved: {error}"))
            .hint("see that the disk can be written to and has room")
    })
}

fn write(dir: &Path, file: &[u8], extension: Option<&str>) -> io::Result<PathBuf> {
    home::private_dir(dir).map_err(io::Error::other)?;
    let random: [u8; 8] = home::random_bytes().map_err(io::Error::other)?;
    // By name they are in the order in which they came.
    let mut name = format!("{:015}-{:016x}", Timestamp::now().as_millisecond(), u64::from_le_bytes(random));
    if let Some(extension) = extension {
        name.push('.');
        name.push_str(extension);
    }
    let path = dir.join(name);
    // What has a line feed in it would press Enter.
    if path.to_str().is_none_or(|path| path.chars().any(char::is_control)) {
        return Err(io::Error::other("the data directory's name cannot be typed"));
    }
    let mut new = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(&path)?;
    if let Err(error) = new.write_all(file) {
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    forget_oldest(dir)?;
    Ok(path)
}

fn forget_oldest(dir: &Path) -> io::Result<()> {
    let mut names: Vec<_> = fs::read_dir(dir)?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    names.sort();
    let many = names.len().saturating_sub(MOST_FILES);
    names[..many].iter().try_for_each(|name| fs::remove_file(dir.join(name)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::TempDir;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    fn code(file: &[u8], said: Option<&str>) -> Option<ErrorCode> {
        check_image(file, said).err().map(|problem| problem.code())
    }

    #[test]
    fn s16_only_pictures_pass_that_are_what_they_are_said_to_be() {
        for (file, said) in [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0JFIF", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"GIF87a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ] {
            assert_eq!(code(file, Some(said)), None, "{said}");
            assert_eq!(code(file, None), None, "{said}");
            assert_eq!(code(file, Some("image/svg+xml")), Some(ErrorCode::UnsupportedMediaType));
        }
        for file in
            [&b""[..], b"<svg/>", b"#!/bin/sh\n", b"\x7fELF", b"RIFF\0\0\0\0WAVE", b"GIF88a", b"%PDF-"]
        {
            assert_eq!(code(file, None), Some(ErrorCode::UnsupportedMediaType), "{}", file.escape_ascii());
        }
    }

    #[test]
    fn s16_a_file_is_of_bounded_size() {
        let large = [PNG, &vec![0; MOST_FILE_BYTES]].concat();
        assert_eq!(code(&large, None), Some(ErrorCode::BodyTooLarge));
        assert_eq!(code(&large[..MOST_FILE_BYTES], None), None);
        assert_eq!(check_size(&large).err().map(|problem| problem.code()), Some(ErrorCode::BodyTooLarge));
    }

    #[test]
    fn s16_of_a_files_name_only_a_plain_ending_is_kept() {
        for (name, kept) in [
            ("notes.md", Some("md")),
            ("../../etc/Report.PDF", Some("PDF")),
            ("archive.tar.gz", Some("gz")),
            ("a.12345678", Some("12345678")),
            ("a.123456789", None),
            ("a.s h", None),
            ("a.$(id)", None),
            ("a.\u{00e9}", None),
            ("a.x\n", None),
            ("a.", None),
            (".bashrc", None),
            ("Makefile", None),
            ("", None),
        ] {
            assert_eq!(extension_of(name), kept, "{name:?}");
        }
    }

    #[test]
    fn s16_files_are_private_and_the_oldest_go() {
        let home = TempDir::new().unwrap();
        let dir = home.path().join("uploads");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let first = write(&dir, PNG, Some("png")).unwrap();
        assert_eq!((mode(&dir), mode(&first)), (0o700, 0o600));
        assert_eq!(fs::read(&first).unwrap(), PNG);
        let plain = write(&dir, b"#!/bin/sh\n", None).unwrap();
        assert_eq!((mode(&plain), plain.extension()), (0o600, None));
        let later: Vec<PathBuf> = (0..MOST_FILES).map(|_| write(&dir, PNG, Some("png")).unwrap()).collect();
        assert_eq!(fs::read_dir(&dir).unwrap().count(), MOST_FILES);
        assert!(later.last().unwrap().exists());
    }

    #[test]
    fn s16_a_link_is_not_followed() {
        let home = TempDir::new().unwrap();
        let elsewhere = home.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let dir = home.path().join("uploads");
        std::os::unix::fs::symlink(&elsewhere, &dir).unwrap();
        assert!(write(&dir, PNG, Some("png")).is_err());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }

    #[test]
    fn a_path_is_pasted_so_that_a_shell_takes_it_for_one_word() {
        assert_eq!(pasted(Path::new("/home/a/x.png"), false), b"/home/a/x.png ");
        assert_eq!(pasted(Path::new("/home/a/x.png"), true), b"\x1b[200~/home/a/x.png \x1b[201~");
        assert_eq!(pasted(Path::new("/my home/it's"), false), br"'/my home/it'\''s' ");
        assert_eq!(pasted(Path::new("/a$(id)"), false), b"'/a$(id)' ");
    }
}
