//! A busy machine: what tests have beside them while we look for those that fail now and then.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::{hint, io, process};

use anyhow::{Context, Result};

/// What the writer hands to the disk at a time: a page, so that most of its time goes into `fsync`.
const WRITTEN_AT_ONCE: [u8; 4096] = [0x5a; 4096];

/// The writer begins again at the start of its file after so many bytes.
const FILE_BYTES: u64 = 64 << 20;

/// Threads that keep every core busy, and one that writes and syncs without pause. They have the same priority as the
/// tests. They are threads of this process, so that they end with it, however it ends.
pub(super) struct Load {
    is_over: Arc<AtomicBool>,
    synced: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts a busy loop for each core, and a writer in `directory`, which should be on the disk that tests write to.
    pub(super) fn start(directory: &Path) -> Result<Load> {
        let file =
            nameless_file(directory).with_context(|| format!("cannot write to `{}`", directory.display()))?;
        let is_over = Arc::new(AtomicBool::new(false));
        let synced = Arc::new(AtomicU64::new(0));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut threads: Vec<JoinHandle<()>> = (0..cores)
            .map(|_| {
                let is_over = is_over.clone();
                thread::spawn(move || spin(&is_over))
            })
            .collect();
        let (over, count) = (is_over.clone(), synced.clone());
        threads.push(thread::spawn(move || {
            if let Err(error) = write_and_sync(file, &over, &count) {
                eprintln!("the writer beside the tests has stopped: {error}");
            }
        }));
        Ok(Load { is_over, synced, threads })
    }

    /// How often the writer's bytes have reached the disk.
    pub(super) fn synced(&self) -> u64 {
        self.synced.load(Ordering::Relaxed)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

fn spin(is_over: &AtomicBool) {
    let mut sum = 0_u64;
    while !is_over.load(Ordering::Relaxed) {
        for number in 0..10_000 {
            sum = hint::black_box(sum.wrapping_mul(31).wrapping_add(number));
        }
    }
}

fn write_and_sync(mut file: File, is_over: &AtomicBool, synced: &AtomicU64) -> io::Result<()> {
    let mut written = 0;
    while !is_over.load(Ordering::Relaxed) {
        if written >= FILE_BYTES {
            file.seek(SeekFrom::Start(0))?;
            written = 0;
        }
        file.write_all(&WRITTEN_AT_ONCE)?;
        file.sync_all()?;
        written += WRITTEN_AT_ONCE.len() as u64;
        synced.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// A file whose name is gone, so that it is gone with this process.
fn nameless_file(directory: &Path) -> io::Result<File> {
    let path = directory.join(format!("abide-flakes-load-{}", process::id()));
    let file = File::create_new(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn the_writer_syncs_and_all_threads_end_with_the_load() {
        let load = Load::start(&env::temp_dir()).unwrap();
        while load.synced() == 0 {
            thread::yield_now();
        }
        let is_over = load.is_over.clone();
        assert!(load.threads.len() >= 2, "a loop for each core, and the writer");
        drop(load);
        assert_eq!(Arc::strong_count(&is_over), 1, "a thread still runs");
    }
}
