//! Only the owner can read a recording.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use recording::Writer;

use crate::life::{head, recording_in, segment, temp_dir};
use testkit::again;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn check_modes(dir: &Path) {
    let writer = Writer::create(dir, &head(0), b"screen").unwrap();
    assert_eq!((mode(dir), mode(writer.path())), (0o700, 0o600));
}

#[test]
fn the_owner_alone_has_rights_with_any_umask() {
    match again::directory() {
        Some(dir) => check_modes(&dir.join("recording")),
        None => {
            again::check(r#"umask 0000; exec "$@""#);
            again::check(r#"umask 0777; exec "$@""#);
        }
    }
}

#[test]
fn a_directory_that_was_open_to_others_is_closed() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    check_modes(&dir);
}

#[test]
fn a_link_in_the_place_of_a_segment_is_not_written_through() {
    let dir = temp_dir();
    let target = dir.path().join("target");
    let recording = recording_in(&dir);
    fs::create_dir(&recording).unwrap();
    symlink(&target, segment(&recording, 1)).unwrap();
    let writer = Writer::create(&recording, &head(0), b"screen").unwrap();
    assert_eq!(writer.path(), segment(&recording, 2));
    assert!(!target.exists());
}

#[test]
fn a_child_inherits_no_segment() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    let writer = Writer::create(&dir, &head(0), b"screen").unwrap();
    let segments: Vec<_> = fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|fd| Some(fd.ok()?.path()))
        .filter(|fd| fs::read_link(fd).is_ok_and(|target| target == writer.path()))
        .collect();
    assert_eq!(segments.len(), 1);
    let number = segments[0].file_name().unwrap().to_str().unwrap();
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
    let close_on_exec = 0o2_000_000;
    assert_ne!(u32::from_str_radix(flags, 8).unwrap() & close_on_exec, 0, "{info}");
}
