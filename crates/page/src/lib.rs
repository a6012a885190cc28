//! The web UI's files, as they are in the program: compressed, each with a name for its content.
//!
//! They come from `web/`, built with `cargo xtask web`. A program that was built without them has one page that says so.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::GzDecoder;

/// One file.
#[derive(Debug)]
pub struct File {
    /// Its name, with `/` between directories: `assets/index-Bg9_3geP.js`.
    pub name: &'static str,
    /// A name for what it holds, compressed or not, as HTTP wants it: `W/"…"`.
    pub etag: &'static str,
    /// Whether `bytes` are compressed.
    pub is_gzipped: bool,
    /// What it holds.
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Whether the web UI is in this program.
pub fn is_built() -> bool {
    IS_BUILT
}

/// The file of that name.
pub fn file(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

/// All of them.
pub fn files() -> &'static [File] {
    FILES
}

impl File {
    /// Its content, for clients that do not take compressed answers.
    pub fn plain(&self) -> Cow<'static, [u8]> {
        if !self.is_gzipped {
            return Cow::Borrowed(self.bytes);
        }
        let mut plain = Vec::new();
        GzDecoder::new(self.bytes).read_to_end(&mut plain).expect("the build compressed it");
        Cow::Owned(plain)
    }

    /// What it is, as HTTP says it.
    pub fn kind(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, end)| end) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            Some("webmanifest") => "application/manifest+json",
            _ => "application/octet-stream",
        }
    }

    /// Whether another content would have another name, so that it may be kept for ever.
    pub fn is_forever(&self) -> bool {
        self.name.starts_with("assets/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_in_every_build() {
        let page = file("index.html").unwrap();
        assert_eq!(page.kind(), "text/html; charset=utf-8");
        assert!(!page.is_forever());
        assert!(page.plain().starts_with(b"<!doctype html>"));
    }

    #[test]
    fn every_file_has_a_kind_and_all_have_different_contents() {
        let mut etags: Vec<_> = files().iter().map(|file| file.etag).collect();
        for file in files() {
            assert_ne!(file.kind(), "application/octet-stream", "{}", file.name);
            assert!(file.etag.starts_with("W/\"") && file.etag.len() == 28, "{}", file.etag);
        }
        etags.sort_unstable();
        etags.dedup();
        assert_eq!(etags.len(), files().len());
    }
}
