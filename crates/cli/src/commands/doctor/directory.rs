//! The data directory: whether it can be used, is the user's alone, and has room.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use home::Home;
use rustix::fs::{Access, access, statvfs};
use rustix::process::geteuid;

use super::check::Check;

/// Recordings stop below this.
const NO_ROOM: u64 = 64 << 20;

/// A few busy workers fill this in a day.
const LITTLE_ROOM: u64 = 1 << 30;

/// The longest path that fits a socket's address.
const ADDRESS_BYTES: usize = 107;

pub(super) fn checks(home: &Home) -> Vec<Check> {
    vec![directory(home.root()), room(home.root()), socket_path(home)]
}

fn directory(root: &Path) -> Check {
    const SUBJECT: &str = "data directory";
    let shown = shown(root);
    let found = match root.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return to_be_made(root),
        Err(error) => {
            return Check::fail(
                SUBJECT,
                format!("cannot look at `{shown}`: {error}"),
                "set ABIDE_HOME elsewhere",
            );
        }
    };
    if !found.is_dir() || found.uid() != geteuid().as_raw() {
        return Check::fail(
            SUBJECT,
            format!("`{shown}` is not a directory of yours"),
            "set ABIDE_HOME to one that is; a link to one is none",
        );
    }
    if let Err(error) = access(root, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        return Check::fail(
            SUBJECT,
            format!("cannot write in `{shown}`: {error}"),
            format!("`chmod 700 {shown}`"),
        );
    }
    if found.mode() & 0o077 != 0 {
        return Check::warn(
            SUBJECT,
            format!("others may look into `{shown}`"),
            format!("`chmod 700 {shown}`; the next worker to be started does so too"),
        );
    }
    Check::ok(SUBJECT, format!("{shown}, yours alone"))
}

fn to_be_made(root: &Path) -> Check {
    let parent = nearest_existing(root);
    let shown = shown(root);
    match access(&parent, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Check::ok("data directory", format!("{shown}, made with the first worker")),
        Err(error) => Check::fail(
            "data directory",
            format!("`{shown}` is not there and cannot be made: {error}"),
            "set ABIDE_HOME to a directory in which you may write",
        ),
    }
}

fn room(root: &Path) -> Check {
    let Ok(found) = statvfs(nearest_existing(root)) else {
        return Check::warn(
            "disk",
            "cannot find out how much room is left",
            "see that the data directory is mounted",
        );
    };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let finding = format!("{} MiB free", free >> 20);
    let remedy = "make room: remove workers that have ended with `abide rm`, or set `recording_mib` lower";
    match free {
        0..NO_ROOM => Check::fail("disk", finding, remedy),
        NO_ROOM..LITTLE_ROOM => Check::warn("disk", finding, remedy),
        _ => Check::ok("disk", finding),
    }
}

fn socket_path(home: &Home) -> Check {
    let id = model::WorkerId::from_random([0; model::WorkerId::RANDOM_BYTES]);
    let bytes = home.worker(id).socket().as_os_str().as_bytes().len();
    let finding = if bytes > ADDRESS_BYTES {
        format!("{bytes} bytes, more than an address holds: reached through /proc/self/fd")
    } else {
        format!("{bytes} bytes, within the {ADDRESS_BYTES} of an address")
    };
    if bytes > ADDRESS_BYTES && !Path::new("/proc/self/fd").exists() {
        return Check::fail("socket paths", finding, "mount /proc, or set ABIDE_HOME to a shorter path");
    }
    Check::ok("socket paths", finding)
}

fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/")).to_owned()
}

fn shown(path: &Path) -> String {
    model::display_safe(&path.to_string_lossy())
}
