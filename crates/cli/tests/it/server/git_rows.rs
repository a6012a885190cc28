//! Rows W1, W2, W5 and W7 through the API. W3 and W6 are with worktrees and tasks, W4 with starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use api::{ErrorCode, Health, RemovedWorktree, Session, SessionStatus, Task, Worktree, WorktreeState};
use serde_json::json;

use super::{Repository, Server, Workshop, place};
use crate::house::{House, is_alive, wait_for};

fn worktree(shop: &Workshop, path: &Path) -> Worktree {
    let found = shop.worktrees().into_iter().find(|worktree| Path::new(&worktree.path) == path);
    found.expect("it is listed")
}

#[test]
fn w1_a_worktree_deleted_under_a_live_worker_is_missing_and_nothing_is_made_over_it() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let (session, worker) = (task.session_id.unwrap(), task.worker_id.unwrap());
    fs::remove_dir_all(place(&task)).unwrap();
    let lost = worktree(&shop, place(&task));
    assert_eq!(lost.state, WorktreeState::Missing);
    let seen: Session = shop.server.get(&format!("/api/sessions/{session}")).ok(200);
    assert!(seen.location_missing);
    let still: Task = shop.server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    assert_eq!(still.session_status, Some(SessionStatus::Running), "its agent is left alone");
    let workers = format!("/api/sessions/{session}/workers");
    shop.server.post(&workers, json!({"type": "terminal"})).problem(ErrorCode::Missing);
    let another = json!({"type": "worktree", "repositoryId": shop.id, "worktreeId": lost.id});
    shop.server.post("/api/sessions", another).problem(ErrorCode::Missing);
    let shop = shop.kill_and_start();
    assert_eq!(worktree(&shop, place(&task)).state, WorktreeState::Missing);
    assert!(!place(&task).exists(), "nothing is made in its place");
    assert!(is_alive(shop.house.called(worker.as_str()).status().child_pid));

    let retried: api::ArchivedTask =
        shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    assert_eq!(retried.kept_worktree, None);
    let again = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_ne!(again.worktree_path, task.worktree_path);
    assert!(!place(&task).exists());
    assert!(shop.branches().contains(task.branch.as_ref().unwrap()), "its branch and its commits stay");
    shop.complete(task.id);

    // What is gone for good can be forgotten, and then its repository.
    let path = format!("/api/worktrees/{}", lost.id);
    shop.server.delete(&path).problem(ErrorCode::Missing);
    let forgotten: RemovedWorktree = shop.server.delete(&format!("{path}?force=true")).ok(200);
    assert_eq!((forgotten.worktree.state, forgotten.work.len()), (WorktreeState::Missing, 0));
    shop.server.get(&path).problem(ErrorCode::NotFound);
    shop.server.delete(&format!("/api/repositories/{}?tasks=true", shop.id)).empty(204);
}

#[test]
fn w1_a_worktree_that_is_moved_away_and_back_is_there_again() {
    let shop = Workshop::new();
    let made = shop.worktree(None);
    let (path, aside) = (Path::new(&made.path), shop.house.path().join("aside"));
    fs::rename(path, &aside).unwrap();
    let session = json!({"type": "worktree", "repositoryId": shop.id, "worktreeId": made.id});
    shop.server.post("/api/sessions", session.clone()).problem(ErrorCode::Missing);
    assert_eq!(worktree(&shop, path).state, WorktreeState::Missing);
    fs::rename(&aside, path).unwrap();
    assert_eq!(worktree(&shop, path), made);
    let _: api::SessionReply = shop.server.post("/api/sessions", session).ok(201);
}

#[test]
fn w2_a_lock_of_another_program_is_named_and_never_removed() {
    let shop = Workshop::new();
    let made = shop.worktree(Some("branch"));
    let git_dir = shop.repository.path().join(".git");
    let index_lock = git_dir.join("worktrees").join(made.id.as_str()).join("index.lock");
    fs::write(&index_lock, "").unwrap();
    let path = format!("/api/worktrees/{}", made.id);
    let problem = shop.server.delete(&path).problem(ErrorCode::RepositoryLocked);
    let index_lock = index_lock.canonicalize().unwrap();
    assert_eq!(problem.error.detail, Some(json!({"path": index_lock})));
    assert!(index_lock.exists() && Path::new(&made.path).exists());
    assert_eq!(shop.server.get(&path).ok::<Worktree>(200), made);

    let branch_lock = git_dir.join("refs/heads/other.lock");
    fs::write(&branch_lock, "").unwrap();
    let create = format!("/api/repositories/{}/worktrees", shop.id);
    let problem = shop.server.post(&create, json!({"branch": "other"})).problem(ErrorCode::RepositoryLocked);
    assert_eq!(problem.error.detail, Some(json!({"path": branch_lock.canonicalize().unwrap()})));
    assert_eq!(shop.worktrees(), [made]);
    fs::remove_file(&index_lock).unwrap();
    fs::remove_file(&branch_lock).unwrap();
    let _: RemovedWorktree = shop.server.delete(&path).ok(200);
    let _: Worktree = shop.server.post(&create, json!({"branch": "other"})).ok(201);
}

#[test]
fn w2_a_task_whose_worktree_is_locked_is_done_and_the_worktree_is_kept() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let name = place(&task).file_name().unwrap();
    let lock = shop.repository.path().join(".git/worktrees").join(name).join("index.lock");
    fs::write(&lock, "").unwrap();
    let done = shop.complete(task.id);
    let kept = done.kept_worktree.expect("it is kept");
    assert_eq!(Some(&kept.path), task.worktree_path.as_ref());
    assert!(kept.work[0].contains("index.lock"), "{kept:?}");
    assert!(lock.exists() && place(&task).exists());
    let logs: Vec<api::SessionLog> = shop.server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    assert_eq!(logs[0].kept_worktree, task.worktree_path, "the log says so too");
    assert_eq!(worktree(&shop, place(&task)).state, WorktreeState::Kept);
}

/// Starts a task, kills the server while it provisions, and checks that the next one has settled it.
fn settled_after_a_kill(shop: Workshop, task: &Task, is_under_way: impl Fn() -> bool) -> Workshop {
    let _: Task = shop.server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
    wait_for("provisioning under way", || is_under_way().then_some(()));
    let shop = shop.kill_and_start();
    let failed: Task = shop.server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    assert_eq!(failed.session_status, Some(SessionStatus::Failed), "{failed:?}");
    assert_eq!(failed.session_error.as_deref(), Some("the server stopped before this began"));
    assert_eq!(shop.house.home().worker_dirs().unwrap().len(), 0);
    // The API lists the same worktrees as git and the disk. A server does not wait long for that before it answers.
    let listed = wait_for("the same worktrees in the API and in git", || {
        let listed: Vec<PathBuf> =
            shop.worktrees().into_iter().map(|worktree| worktree.path.into()).collect();
        (shop.linked() == listed).then_some(listed)
    });
    let on_disk = fs::read_dir(shop.house.path().join("worktrees")).into_iter().flatten().flatten();
    assert_eq!(on_disk.map(|entry| entry.path()).collect::<Vec<_>>(), listed);
    shop
}

#[test]
fn w5_a_server_killed_while_a_setup_runs_leaves_a_task_that_can_be_retried() {
    let shop = Workshop::new();
    let file = shop.house.path().join("setup");
    shop.runs(&["[ -e \"$HOME/quick\" ] || { echo $$ >\"$HOME/setup\"; exec sleep 600; }"], &[]);
    let task = shop.task("Something");
    let process = || fs::read_to_string(&file).ok()?.trim().parse::<u32>().ok();
    let shop = settled_after_a_kill(shop, &task, || process().is_some());
    assert!(!process().is_some_and(is_alive), "the setup command is ended");
    assert_eq!(shop.worktrees().len(), 1, "its place is the task's");
    fs::write(shop.house.path().join("quick"), "").unwrap();
    let retried: api::ArchivedTask =
        shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    assert_eq!(retried.kept_worktree, None);
    shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!(shop.linked().len(), 1);
}

#[test]
fn w5_a_server_killed_while_git_writes_files_leaves_nothing_half_done() {
    let shop = Workshop::new();
    // A filter holds git up in the middle of the checkout, and ends badly once it may.
    shop.repository.write(".gitattributes", "slow filter=slow\n");
    shop.repository.write("slow", "slow\n");
    shop.repository.commit("a slow file");
    let (begun, go) = (shop.house.path().join("begun"), shop.house.path().join("go"));
    let filter = format!(
        "touch '{}'; n=0; while ! [ -e '{}' ] && [ $n -lt 40 ]; do sleep 0.05; n=$((n+1)); done; cat",
        begun.display(),
        go.display()
    );
    shop.repository.git(&["config", "--global", "filter.slow.smudge", &filter]);
    let before = shop.branches();
    let task = shop.task("Something");
    let shop = settled_after_a_kill(shop, &task, || begun.exists());
    // Git was not killed: it may have come to its end while the next server waited for it.
    let whole = shop.worktrees();
    match whole.as_slice() {
        [] => assert_eq!(shop.branches(), before, "undone"),
        [made] => {
            let slow = fs::read_to_string(Path::new(&made.path).join("slow")).unwrap();
            assert_eq!(slow, "slow\n", "completed");
        }
        more => panic!("{more:?}"),
    }
    fs::write(&go, "").unwrap();
    let _: api::ArchivedTask = shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!(shop.repository.git_in(place(&running), &["status", "--porcelain"]), "");
    assert_eq!(shop.linked().len(), 1);
}

#[test]
fn w7_a_repository_that_was_moved_away_is_reported_missing() {
    let shop = Workshop::new();
    let made = shop.worktree(None);
    let task = shop.task("Something");
    let aside = shop.house.path().join("aside");
    fs::rename(shop.repository.path(), &aside).unwrap();
    let of_it = format!("/api/repositories/{}", shop.id);
    let _: api::Repository = shop.server.get(&of_it).ok(200);
    let _: Vec<Worktree> = shop.server.get(&format!("{of_it}/worktrees")).ok(200);
    shop.server.get(&format!("{of_it}/provisioning")).problem(ErrorCode::Missing);
    shop.server.post(&format!("{of_it}/worktrees"), json!({})).problem(ErrorCode::Missing);
    shop.server.delete(&format!("/api/worktrees/{}", made.id)).problem(ErrorCode::Missing);
    shop.server.delete(&format!("/api/worktrees/{}?force=true", made.id)).problem(ErrorCode::Missing);
    assert!(Path::new(&made.path).join("README.md").exists());
    let reason = shop.fail(task.id);
    assert!(reason.contains("no longer exists"), "{reason}");
    fs::rename(&aside, shop.repository.path()).unwrap();
    let _: api::ArchivedTask = shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    shop.wait_for_status(task.id, SessionStatus::Running);
}

#[test]
fn w7_bare_shallow_empty_and_broken_repositories_have_a_typed_answer() {
    let shop = Workshop::new();
    let (house, server) = (&shop.house, &shop.server);
    let path = |name: &str| house.path().join(name).to_str().unwrap().to_owned();
    let register = |name: &str| server.post("/api/repositories", json!({"path": path(name)}));
    let create =
        |id: model::RepositoryId| server.post(&format!("/api/repositories/{id}/worktrees"), json!({}));
    shop.repository.git(&["clone", "--quiet", "--bare", ".", &path("bare.git")]);
    let bare: api::Repository = register("bare.git").ok(201);
    let made: Worktree = create(bare.id).ok(201);
    assert!(Path::new(&made.path).join("README.md").exists(), "worktrees can be made of it");

    let from = format!("file://{}", shop.repository.text());
    shop.repository.git(&["clone", "--quiet", "--depth=1", &from, &path("shallow")]);
    let shallow: api::Repository = register("shallow").ok(201);
    let _: Worktree = create(shallow.id).ok(201);

    shop.repository.git(&["init", "--quiet", &path("empty")]);
    let empty: api::Repository = register("empty").ok(201);
    let problem = create(empty.id).problem(ErrorCode::NotARepository);
    assert!(problem.error.message.contains("has no commits yet"), "{problem:?}");
    let task: Task =
        server.post("/api/tasks", json!({"projectId": empty.id, "title": "x", "agentId": "fake"})).ok(201);
    shop.step(task.id, "activate");
    assert!(shop.fail(task.id).contains("has no commits yet"));

    for (name, break_it) in [
        ("headless", (|git: &Path| fs::write(git.join("HEAD"), "nonsense").unwrap()) as fn(&Path)),
        ("misconfigured", |git| fs::write(git.join("config"), "[core\n").unwrap()),
        ("without-objects", |git| fs::remove_dir_all(git.join("objects")).unwrap()),
        ("rotten", |git| {
            for entry in walk(&git.join("objects")) {
                fs::set_permissions(&entry, fs::Permissions::from_mode(0o600)).unwrap();
                fs::write(entry, "rotten").unwrap();
            }
        }),
    ] {
        let broken = Repository::new(house.path(), name);
        break_it(&broken.path().join(".git"));
        let problem: api::Problem = register(name).ok(422);
        assert!(
            matches!(problem.code(), ErrorCode::GitRefused | ErrorCode::NotARepository),
            "{name}: {problem:?}"
        );
    }
}

/// All files below a directory.
fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// A directory for the beginning of a `PATH`, with this program in it as git.
fn with_git(house: &House, script: &str) -> String {
    let directory = house.path().join("first-on-path");
    fs::create_dir_all(&directory).unwrap();
    let git = directory.join("git");
    testkit::write_executable(&git, &format!("#!/bin/sh\n{script}\n"));
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
}

#[test]
fn w7_without_a_usable_git_everything_else_works() {
    let house = House::new();
    let repository = Repository::new(house.path(), "project");
    let nothing = house.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    for (path, words) in [
        (nothing.to_str().unwrap().to_owned(), "not installed"),
        (with_git(&house, "echo git version 2.20.1"), "2.20 is too old"),
    ] {
        let server = Server::start_with(&house, &[("PATH", &path)]);
        let problem =
            server.post("/api/repositories", json!({"path": repository.text()})).problem(ErrorCode::NoGit);
        assert!(problem.error.message.contains(words), "{problem:?}");
        let (session, _) = server.terminal(repository.text(), "read x");
        server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
    }
}

#[test]
fn w7_a_git_that_hangs_is_ended_and_delays_no_other_request() {
    let house = House::new();
    let real = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let real = String::from_utf8(real.stdout).unwrap();
    let script = format!("[ -e \"$HOME/hang\" ] && exec sleep 600\nexec {} \"$@\"", real.trim());
    let path = with_git(&house, &script);
    let shop = Workshop::with(house, &[("PATH", &path)]);
    let task = shop.task("Something");
    fs::write(shop.house.path().join("hang"), "").unwrap();
    let server = &shop.server;
    std::thread::scope(|scope| {
        let create =
            scope.spawn(|| server.post(&format!("/api/repositories/{}/worktrees", shop.id), json!({})));
        let add = scope.spawn(|| server.post("/api/repositories", json!({"path": shop.repository.text()})));
        let _: Task = server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
        shop.wait_for_status(task.id, SessionStatus::Provisioning);
        // Meanwhile others are served.
        let (session, _) = server.terminal(shop.repository.text(), "read x");
        server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
        let _: Health = server.get("/api/health").ok(200);
        let other = shop.task("Another");
        assert_eq!(other.status, api::TaskState::Active);
        for answer in [create, add] {
            answer.join().expect("an answer").problem(ErrorCode::GitTooSlow);
        }
    });
    let failed = shop.wait_for_status(task.id, SessionStatus::Failed);
    assert!(failed.session_error.unwrap().contains("took too long"));
    fs::remove_file(shop.house.path().join("hang")).unwrap();
    let _: api::ArchivedTask = server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    shop.wait_for_status(task.id, SessionStatus::Running);
}
