//! Memory: files in it, giving it back, and which process the system ends first when it runs out.

use std::ffi::CStr;
use std::fs::{self, File};

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};

/// A file in memory, empty, that goes with its last descriptor.
///
/// # Errors
///
/// When the machine has no descriptors left.
pub fn file(name: &str) -> rustix::io::Result<File> {
    Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
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

/// Where a process says how readily the kernel ends it when memory runs out.
const READINESS: &CStr = c"/proc/self/oom_score_adj";

/// As if a child had a fifth of all memory more than it has. Its own children have that too, unless they say otherwise.
const CHILD_FIRST: i32 = 200;

/// Lets the system end a child before this process when memory runs out, however this process was set.
#[derive(Clone, Debug)]
pub struct ChildFirst {
    digits: String,
}

impl ChildFirst {
    /// For a child that is started next.
    pub fn new() -> ChildFirst {
        let own = fs::read_to_string("/proc/self/oom_score_adj").ok();
        let own: i32 = own.and_then(|own| own.trim().parse().ok()).unwrap_or(0);
        ChildFirst { digits: (own + CHILD_FIRST).min(1000).to_string() }
    }

    /// Applies it to this process, which is the child. A few system calls and nothing else, so it may be called between
    /// fork and exec.
    ///
    /// # Errors
    ///
    /// When the system does not allow it. Then it chooses by size alone.
    pub fn apply(&self) -> rustix::io::Result<()> {
        let file = open(READINESS, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::io::write(file, self.digits.as_bytes())?;
        Ok(())
    }
}

impl Default for ChildFirst {
    fn default() -> ChildFirst {
        ChildFirst::new()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_file_in_memory_keeps_its_bytes_and_has_no_name() {
        let mut file = self::file("state").unwrap();
        file.write_all(b"bytes").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "bytes");
        assert_eq!(std::os::unix::fs::MetadataExt::nlink(&file.metadata().unwrap()), 0);
    }

    #[test]
    fn giving_memory_back_takes_nothing_that_is_in_use() {
        let bytes: Vec<u8> = (0..1 << 20).map(|number: u32| number.to_le_bytes()[0]).collect();
        assert!(!program_pages().is_empty(), "this program is mapped from its file");
        give_back();
        let still: Vec<u8> = (0..1 << 20).map(|number: u32| number.to_le_bytes()[0]).collect();
        assert_eq!(bytes, still);
    }

    #[test]
    #[expect(unsafe_code, reason = "a child says it between fork and exec")]
    fn a_child_is_ended_before_its_parent() {
        let own: i32 = fs::read_to_string("/proc/self/oom_score_adj").unwrap().trim().parse().unwrap();
        let first = ChildFirst::new();
        let mut command = Command::new("cat");
        command.arg("/proc/self/oom_score_adj");
        // SAFETY: system calls and nothing else, as the method says.
        let output = unsafe { command.pre_exec(move || Ok(first.apply()?)) }.output().unwrap();
        let child: i32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        assert_eq!(child, (own + 200).min(1000));
    }
}
