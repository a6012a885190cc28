//! Records on disk of the processes that run setup and teardown commands. With them, the next server ends the commands
//! that a killed server left running.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::Identity;
use model::WorktreeId;

use super::Node;
use super::process_group::{self, Leader};
use crate::app::blocking;

/// The record of a process. Dropping this removes it.
#[derive(Debug)]
pub(super) struct SetupRecord {
    path: PathBuf,
}

impl SetupRecord {
    /// Writes the record of a process that leads a process group.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub(super) fn write(path: &Path, pid: u32) -> io::Result<SetupRecord> {
        let gone = || io::Error::other("its process has ended already");
        let text = serde_json::to_string(&Identity::of(pid).ok_or_else(gone)?)?;
        if let Some(directory) = path.parent() {
            home::private_dir(directory).map_err(io::Error::other)?;
        }
        files::replace_private(path, text.as_bytes())?;
        Ok(SetupRecord { path: path.to_owned() })
    }
}

impl Drop for SetupRecord {
    fn drop(&mut self) {
        // If the file stays, the next server finds that its process has ended.
        let _ = fs::remove_file(&self.path);
    }
}

impl Node {
    /// Ends the setup and teardown commands that the last server left running, each with everything that it started.
    pub(crate) async fn end_left_setups(&self) {
        let records = fs::read_dir(self.setups_dir()).into_iter().flatten().flatten();
        let records = records.map(|entry| entry.path());
        let ends: Vec<_> = records.map(|record| tokio::spawn(blocking(move || end_left(&record)))).collect();
        for end in ends {
            // A panic is in the log, and the other commands are ended all the same.
            let _ = end.await;
        }
    }

    /// Where the record of a worktree's command is.
    pub(super) fn setup_record(&self, worktree: WorktreeId) -> PathBuf {
        self.setups_dir().join(worktree.as_str())
    }

    fn setups_dir(&self) -> PathBuf {
        self.0.home.root().join("setups")
    }
}

fn end_left(record: &Path) {
    let text = files::read_private(record).ok().flatten().unwrap_or_default();
    if let Ok(process) = serde_json::from_str::<Identity>(&text) {
        process_group::end_left(&process, Leader::Any);
    }
    let _ = fs::remove_file(record);
}
