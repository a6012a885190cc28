//! How much memory a process uses.

/// The resident memory of a process, in KiB.
///
/// # Panics
///
/// When the process does not run.
pub fn resident_kb(pid: u32) -> u64 {
    system::processes::resident_kb(pid).expect("the process runs")
}
