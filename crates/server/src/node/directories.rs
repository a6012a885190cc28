//! Directories that a user names.

use std::env;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use api::{ErrorCode, Problem};

use super::Node;

impl Node {
    /// The directory that a user named. It exists, its path is absolute and has no `..`; `~` is the user's home
    /// directory.
    ///
    /// # Errors
    ///
    /// When there is no such directory, or when the user may not enter it.
    pub(crate) fn directory(&self, text: &str) -> Result<PathBuf, Problem> {
        directory(text)
    }

    /// Whether a path is a directory now.
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }
}

fn directory(text: &str) -> Result<PathBuf, Problem> {
    let path = match (text.strip_prefix('~'), env::home_dir()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(text),
    };
    let shown = model::display_safe(text);
    let wrong = |why: &str| Err(Problem::new(ErrorCode::BadPath, format!("`{shown}` {why}")));
    if !path.is_absolute() {
        return wrong("is not an absolute path");
    }
    if text.contains('\0') || path.components().any(|part| part == Component::ParentDir) {
        return wrong("contains `..` or a NUL character");
    }
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => wrong("is not a directory"),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => wrong("does not exist: make it first, or choose another directory"),
            ErrorKind::PermissionDenied => {
                wrong("cannot be opened: permission denied; choose another directory")
            }
            kind => wrong(&format!("cannot be used: {kind}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n4_a_directory_must_exist() {
        assert_eq!(directory("/").unwrap(), PathBuf::from("/"));
        assert_eq!(directory("~").ok(), env::home_dir());
        assert_eq!(directory("~/").ok(), env::home_dir());
        for text in
            ["", "relative", "/no/such/place", "/proc/version", "/tmp/../etc", "/a\0b", "~/../etc", "~you"]
        {
            assert_eq!(directory(text).unwrap_err().code(), ErrorCode::BadPath, "{text:?}");
        }
        let said = format!("{:?}", directory("/no/such/place").unwrap_err());
        assert!(said.contains("does not exist") && !said.contains("os error"), "{said}");
    }
}
