//! Giving memory back: a machine may have hundreds of hosts, and most of them wait.

use std::fs;
use std::time::{Duration, Instant};

/// Memory is given back when nothing was printed for so long after something was.
const REST: Duration = Duration::from_millis(150);

/// Less output than this leaves nothing worth giving back.
const WORTH_BYTES: usize = 256 << 10;

/// Notices when a host comes to rest.
#[derive(Debug)]
pub(crate) struct Thrift {
    /// Output since memory was last given back.
    bytes: usize,
    /// Whether a rest is worth waiting for.
    is_due: bool,
}

impl Thrift {
    /// Starting up took memory as well.
    pub(crate) fn new() -> Thrift {
        Thrift { bytes: 0, is_due: true }
    }

    /// Something was printed.
    pub(crate) fn note(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.is_due |= self.bytes >= WORTH_BYTES;
    }

    /// Something else than output took memory, or pages of our program.
    pub(crate) fn note_visit(&mut self) {
        self.is_due = true;
    }

    /// Waits for something to do; on the way, if it takes that long, gives memory back. Once, so that a host at rest
    /// has no timer.
    pub(crate) fn park(&mut self) {
        if !self.is_due {
            return std::thread::park();
        }
        let start = Instant::now();
        std::thread::park_timeout(REST);
        if start.elapsed() >= REST {
            (self.bytes, self.is_due) = (0, false);
            give_back();
        }
    }
}

/// Gives back what the allocator holds for later, and pages of our program that were needed once. Those are in the
/// kernel's cache, and come back when they are needed again.
#[expect(unsafe_code, reason = "the allocator and the kernel are asked directly")]
pub fn give_back() {
    // SAFETY: frees nothing that is in use.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0)
    };
    for (start, length) in program_pages() {
        // SAFETY: the pages are mapped from our program's file, read-only and never written to, so that the kernel
        // reads the same bytes again when they are touched.
        let _ = unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_DONTNEED) };
    }
}

/// Where the read-only parts of our program's file are mapped.
fn program_pages() -> Vec<(usize, usize)> {
    let own = fs::read_link("/proc/self/exe").map(|path| path.display().to_string()).unwrap_or_default();
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mapped = maps.lines().filter(|line| !own.is_empty() && line.ends_with(&own)).filter_map(|line| {
        let mut words = line.split_whitespace();
        let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
        let (start, end) = range.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        // Code, and the constants at the file's beginning. Relocated data is read-only as well, but was written to, and
        // would come back without that.
        let is_constant = rights.starts_with("r--") && offset.bytes().all(|digit| digit == b'0');
        (rights.starts_with("r-x") || is_constant).then_some((start, end - start))
    });
    mapped.collect()
}
