//! Pages on disk that lead a browser to a link with a one-time code.
//!
//! Every user of the machine can read the arguments of a program. So a browser is not started with the link, but with
//! the path of a page that only its own user may read. The path says nothing about the link.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::private::private_dir;
use crate::root::Home;

/// How long a page is kept that no browser has used: as long as its code is valid.
pub const SIGN_IN_PAGE_GOOD_FOR: Duration = Duration::from_secs(600);

/// The letters of a page's name.
const NAME_BYTES: usize = 8;

/// Writes a page that leads to a link, and removes the pages whose links are too old.
///
/// # Errors
///
/// When the disk refuses, or when the directory could be another user's.
pub fn write_sign_in_page(home: &Home, link: &str) -> io::Result<PathBuf> {
    let directory = home.sign_in_pages();
    private_dir(home.root()).and_then(|()| private_dir(&directory)).map_err(io::Error::other)?;
    remove_old_sign_in_pages(home);
    let random: [u8; NAME_BYTES] = system::machine::random_bytes()?;
    let path = directory.join(format!("{:016x}.html", u64::from_be_bytes(random)));
    files::create_private(&path, html(link).as_bytes())?;
    Ok(path)
}

/// Removes the pages that lead to a link with a used code.
pub fn remove_used_sign_in_pages(home: &Home, is_used: impl Fn(&str) -> bool) {
    remove_pages(home, |path| {
        let text = files::read_private(path).ok().flatten().unwrap_or_default();
        codes(&text).any(&is_used)
    });
}

/// The codes of the links in a page: the letters and digits behind each `#`.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('#').skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// Removes the pages whose links are too old.
pub fn remove_old_sign_in_pages(home: &Home) {
    let now = SystemTime::now();
    let is_old = |path: &Path| {
        let written = fs::symlink_metadata(path).and_then(|found| found.modified());
        // A time in the future is a clock that was set back: nothing says how old the page is.
        written.is_ok_and(|at| now.duration_since(at).map_or(true, |age| age >= SIGN_IN_PAGE_GOOD_FOR))
    };
    remove_pages(home, is_old);
}

/// What cannot be removed is tried again with the next page.
fn remove_pages(home: &Home, is_meant: impl Fn(&Path) -> bool) {
    for entry in fs::read_dir(home.sign_in_pages()).into_iter().flatten().flatten() {
        if is_meant(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn html(link: &str) -> String {
    let link = escaped(link);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={link}\">\n<title>abide</title>\n\
         <p><a href=\"{link}\">Open abide</a></p>\n</html>\n"
    )
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn s18_a_sign_in_page_is_the_users_alone_and_its_path_says_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let path = write_sign_in_page(&home, "http://abide.localhost:7433/#0a1b2c").unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(!path.to_str().unwrap().contains("0a1b2c"), "{}", path.display());
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("content=\"0;url=http://abide.localhost:7433/#0a1b2c\""), "{text}");
    }

    #[test]
    fn a_link_stays_inside_its_attribute() {
        let text = html("http://x/\"><script>&'");
        assert!(text.contains("http://x/&quot;&gt;&lt;script&gt;&amp;&#39;\""), "{text}");
    }

    #[test]
    fn a_used_or_old_sign_in_page_goes_and_the_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let [used, old, open] = ["used", "old", "open"]
            .map(|code| write_sign_in_page(&home, &format!("http://x/#{code}")).unwrap());
        remove_used_sign_in_pages(&home, |code| code == "used");
        assert!(!used.exists() && old.exists() && open.exists());
        let file = fs::OpenOptions::new().write(true).open(&old).unwrap();
        file.set_modified(SystemTime::now() - SIGN_IN_PAGE_GOOD_FOR).unwrap();
        let next = write_sign_in_page(&home, "http://x/#next").unwrap();
        assert!(!old.exists() && open.exists() && next.exists());
    }

    #[test]
    fn s18_pages_are_not_written_into_a_directory_that_is_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (Home::at(dir.path().join("data")), dir.path().join("elsewhere"));
        fs::create_dir_all(home.root()).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, home.sign_in_pages()).unwrap();
        write_sign_in_page(&home, "http://x/#code").unwrap_err();
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}
