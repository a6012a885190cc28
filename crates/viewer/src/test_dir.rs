//! A directory for a test's sockets.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory that is removed with everything in it when the test is done.
pub(crate) struct TestDir(PathBuf);

impl TestDir {
    /// A fresh directory; `test` tells the tests of this crate apart.
    pub(crate) fn new(test: &str) -> TestDir {
        let path = std::env::temp_dir().join(format!("abide-viewer-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory for the test");
        TestDir(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        // Left behind, it is only litter in a directory for that.
        let _ = fs::remove_dir_all(&self.0);
    }
}
