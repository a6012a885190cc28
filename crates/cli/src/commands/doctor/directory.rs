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
                "set ABIDE_HOME to another directory",
            );
        }
    };
    if !found.is_dir() || found.uid() != geteuid().as_raw() {
        return Check::fail(
            SUBJECT,
            format!("`{shown}` is not a directory, or belongs to another user"),
            "set ABIDE_HOME to a directory that you own, not to a symbolic link",
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
            format!("other users can read `{shown}`"),
            format!("`chmod 700 {shown}`; abide does that too when it starts the next worker"),
        );
    }
    Check::ok(SUBJECT, format!("{shown}, private"))
}

fn to_be_made(root: &Path) -> Check {
    let parent = nearest_existing(root);
    let shown = shown(root);
    match access(&parent, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Check::ok("data directory", format!("{shown}; abide makes it with the first worker")),
        Err(error) => Check::fail(
            "data directory",
            format!("`{shown}` does not exist, and abide cannot make it: {error}"),
            "set ABIDE_HOME to a directory that you can write to",
        ),
    }
}

fn room(root: &Path) -> Check {
    let Ok(found) = statvfs(nearest_existing(root)) else {
        return Check::warn(
            "disk",
            "cannot find out how much space is left",
            "check that the data directory is mounted",
        );
    };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let finding = format!("{} MiB free", free >> 20);
    let remedy = "make space: remove ended workers with `abide rm`, or lower `recording_mib`";
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
        format!("{bytes} bytes, too long for a socket address: abide connects through a descriptor")
    } else {
        format!("{bytes} bytes; a socket address holds {ADDRESS_BYTES}")
    };
    if bytes > ADDRESS_BYTES && !system::descriptors::have_paths() {
        return Check::fail("socket paths", finding, system::advice::SHORTER_PATH);
    }
    Check::ok("socket paths", finding)
}

fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/")).to_owned()
}

fn shown(path: &Path) -> String {
    model::display_safe(&path.to_string_lossy())
}
