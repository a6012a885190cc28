//! Everything on disk is the user's alone.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::house::{ABIDE, House};
use crate::server::{Repository, Server, raw};

#[test]
fn s11_s33_everything_on_disk_is_private_with_any_umask() {
    let house = House::with_keeper();
    let repository = Repository::new(house.path(), "project");
    fs::write(house.path().join("agents.toml"), "").expect("the file");
    let mine: Vec<PathBuf> = ["project", "agents.toml"].map(|name| house.path().join(name)).into();
    let mut command = Command::new("sh");
    house.settle(command.args(["-c", &format!("umask 0; exec {ABIDE} serve --listen 127.0.0.1:0")]));
    let server = Server::run(&house, command);
    let added: api::Repository = server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
    let worktree: api::Worktree =
        server.post(&format!("/api/repositories/{}/worktrees", added.id), json!({})).ok(201);
    let removed: api::Worktree =
        server.post(&format!("/api/repositories/{}/worktrees", added.id), json!({})).ok(201);
    let _: api::RemovedWorktree = server.delete(&format!("/api/worktrees/{}", removed.id)).ok(200);
    let (_, live) = server.terminal("/", "echo here; read x");
    let (_, ended) = server.terminal("/", "echo gone");
    house.called(live.id.as_str()).wait_for_lease();
    let path = format!("/api/workers/{}/uploads", live.id);
    let kept = raw::post(&server, &path, "image/png", b"\x89PNG\r\n\x1a\n");
    assert!(kept.status < 300, "{kept:?}");
    house.called(ended.id.as_str()).wait_for_rest();

    let user = rustix::process::getuid().as_raw();
    let mut seen = Vec::new();
    let mut dirs = vec![house.path().to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            // Files in a worktree are the user's own. Other users cannot reach them, because our directory is private.
            let foreign = path
                .file_name()
                .is_some_and(|name| name == worktree.id.as_str() || name == removed.id.as_str());
            if mine.contains(&path) || foreign {
                continue;
            }
            let about = fs::symlink_metadata(&path).expect("it is there");
            let kind = about.file_type();
            if kind.is_symlink() {
                continue;
            }
            let expected = if kind.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(about.mode() & 0o777, expected, "{}", path.display());
            assert_eq!(about.uid(), user, "{}", path.display());
            assert!(kind.is_dir() || kind.is_file() || kind.is_socket(), "{}", path.display());
            if kind.is_dir() {
                dirs.push(path.clone());
            }
            seen.push(path);
        }
    }
    for name in ["token", "abide.db", "server.lock", "server.json", "worktrees", "trash", "workers"] {
        assert!(seen.contains(&house.path().join(name)), "{name} is not there: {seen:#?}");
    }
    assert!(
        seen.iter().any(|path| path.parent().is_some_and(|parent| parent.ends_with("uploads"))),
        "{seen:#?}"
    );
}
