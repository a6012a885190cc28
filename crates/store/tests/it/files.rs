//! The files of a database: whose they are and where.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use store::{OpenError, Trouble};

use crate::support::{add_repository, open, place};
use testkit::again;

#[track_caller]
fn assert_private(dir: &Path) {
    let names = ["abide.db", "abide.db-shm", "abide.db-wal"];
    let modes = names.map(|name| fs::metadata(dir.join(name)).unwrap().mode() & 0o777);
    assert_eq!(modes, [0o600; 3]);
}

#[test]
fn s33_a_database_is_its_users_alone_with_any_umask() {
    let Some(dir) = again::directory() else {
        again::check(r#"umask 000; exec "$@""#);
        return again::check(r#"umask 277; exec "$@""#);
    };
    let store = open(&dir.join("abide.db")).unwrap();
    add_repository(&store, 1);
    assert_private(&dir);
}

#[test]
fn s33_a_database_that_others_could_read_is_closed_to_them() {
    let (dir, path) = place();
    drop(open(&path).unwrap());
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    let store = open(&path).unwrap();
    add_repository(&store, 1);
    assert_private(dir.path());
}

#[test]
fn s33_a_link_in_its_place_is_not_followed() {
    let (dir, path) = place();
    symlink(dir.path().join("elsewhere"), &path).unwrap();
    let opened = open(&path);
    assert!(matches!(opened, Err(OpenError::Unavailable { reason: Trouble::OutOfReach })), "{opened:?}");
    assert!(!dir.path().join("elsewhere").exists());
    drop(open(&dir.path().join("elsewhere")).unwrap());
    let opened = open(&path);
    assert!(matches!(opened, Err(OpenError::Unavailable { reason: Trouble::OutOfReach })), "{opened:?}");
}

#[test]
fn n1_the_directory_may_have_any_name_and_be_reached_over_a_link() {
    let (dir, _) = place();
    let odd = dir.path().join(OsStr::from_bytes(b"%20 a?b#c \xff \xf0\x9f\xa6\x80"));
    fs::create_dir(&odd).unwrap();
    let link = dir.path().join("link");
    symlink(&odd, &link).unwrap();
    for dir in [&odd, &link] {
        let store = open(&dir.join("abide.db")).unwrap();
        let _ = store.add_repository("/code/1".as_ref(), "mine", crate::support::at(0));
        assert_eq!(store.repositories().unwrap().len(), 1);
        drop(store);
        assert_eq!(fs::read_dir(&odd).unwrap().count(), 1, "and all of it is there");
    }
}
