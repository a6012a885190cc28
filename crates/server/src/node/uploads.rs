//! Uploads: pictures and other files that a user gives to a program.
//!
//! The server stores them in the worker's directory, under names that it chooses. It never runs and never serves them.
//! The program gets the path as pasted text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::WorkerId;

use super::Node;

/// A screenshot of a large screen takes a few megabytes.
pub(crate) const MOST_FILE_BYTES: usize = 10 << 20;

/// Each worker keeps this many. Its program has read the older ones long ago.
const MOST_FILES: usize = 100;

/// Longer extensions say nothing about a file.
const MOST_EXTENSION_LETTERS: usize = 8;

/// The media type of a file that is no picture.
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
    /// The kind of a file, by its first bytes.
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

impl Node {
    /// Stores a picture in a worker's directory, and returns its path. `said` is the media type that the request named.
    ///
    /// # Errors
    ///
    /// When the file is too large, is no picture, has another type than `said`, or when the disk refuses.
    pub(crate) async fn keep_image(
        &self,
        worker: WorkerId,
        file: Vec<u8>,
        said: Option<&str>,
    ) -> Result<PathBuf, Problem> {
        let kind = check_image(&file, said)?;
        self.keep_upload(worker, file, Some(kind.extension().to_owned())).await
    }

    /// Stores any file in a worker's directory, and returns its path. Of the file's name it keeps only a plain extension,
    /// because programs read it.
    ///
    /// # Errors
    ///
    /// When the file is too large, or when the disk refuses.
    pub(crate) async fn keep_file(
        &self,
        worker: WorkerId,
        file: Vec<u8>,
        name: &str,
    ) -> Result<PathBuf, Problem> {
        check_size(&file)?;
        self.keep_upload(worker, file, extension_of(name).map(ToOwned::to_owned)).await
    }

    async fn keep_upload(
        &self,
        worker: WorkerId,
        file: Vec<u8>,
        extension: Option<String>,
    ) -> Result<PathBuf, Problem> {
        let dir = self.0.home.worker(worker).path().join("uploads");
        let kept = tokio::task::spawn_blocking(move || write(&dir, &file, extension.as_deref())).await;
        kept.map_err(io::Error::other).flatten().map_err(|error| {
            tracing::warn!(%error, "a file is not kept");
            Problem::new(ErrorCode::Unavailable, format!("the server cannot save the file: {error}"))
                .hint("check that the disk is writable and has space")
        })
    }
}

/// The text that gives a program a file: its path, quoted if a shell needs that, and a space.
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
        return Err(Problem::new(ErrorCode::BodyTooLarge, format!("a file may have at most {most} MiB")));
    }
    Ok(())
}

fn check_image(file: &[u8], said: Option<&str>) -> Result<Kind, Problem> {
    check_size(file)?;
    let kind = Kind::of(file).filter(|kind| said.is_none_or(|said| said == kind.mime_type()));
    kind.ok_or_else(|| {
        Problem::new(
            ErrorCode::UnsupportedMediaType,
            "the content is not the kind of picture that the request says",
        )
        .hint("send PNG, JPEG, GIF or WebP")
    })
}

/// The extension of a file's name, if it has only letters and digits.
fn extension_of(name: &str) -> Option<&str> {
    let extension = Path::new(name).extension()?.to_str()?;
    let plain = extension.len() <= MOST_EXTENSION_LETTERS
        && !extension.is_empty()
        && extension.bytes().all(|letter| letter.is_ascii_alphanumeric());
    plain.then_some(extension)
}

fn write(dir: &Path, file: &[u8], extension: Option<&str>) -> io::Result<PathBuf> {
    home::private_dir(dir).map_err(io::Error::other)?;
    let random: [u8; 8] = home::random_bytes().map_err(io::Error::other)?;
    // Sorted by name, they are in the order in which they came.
    let mut name = format!("{:015}-{:016x}", Timestamp::now().as_millisecond(), u64::from_le_bytes(random));
    if let Some(extension) = extension {
        name.push('.');
        name.push_str(extension);
    }
    let path = dir.join(name);
    // A line feed in the path would press Enter.
    if path.to_str().is_none_or(|path| path.chars().any(char::is_control)) {
        return Err(io::Error::other("the data directory's name cannot be typed"));
    }
    files::create_private(&path, file)?;
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
