//! What a user can do when this system does not give what abide needs.

/// When a process cannot be opened.
pub const OPEN_PROCESSES: &str =
    "use Linux 5.4 or newer, and allow pidfd_open where system calls are filtered";

/// When the number of PTYs is unknown.
pub const COUNT_PTYS: &str = "check that /proc is mounted and has sys/kernel/pty";

/// When few PTYs are left.
pub const MORE_PTYS: &str = "end some terminals, or raise the limit with `sysctl kernel.pty.max`";

/// When descriptors have no paths, and a path is too long without one.
pub const SHORTER_PATH: &str = "mount /proc, or set ABIDE_HOME to a shorter path";
