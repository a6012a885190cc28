//! `/api/worktrees`: made, listed, moved to the trash, taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use api::{ErrorCode, RemovedWorktree, Worktree, WorktreeState};
use serde_json::{Value, json};

use super::Workshop;
use crate::house::wait_for;

fn create(shop: &Workshop, body: Value) -> super::Answer {
    shop.server.post(&format!("/api/repositories/{}/worktrees", shop.id), body)
}

fn path(worktree: &Worktree) -> String {
    format!("/api/worktrees/{}", worktree.id)
}

#[test]
fn worktrees_are_made_and_listed() {
    let shop = Workshop::new();
    shop.repository.git(&["branch", "there"]);
    shop.repository.write("later", "later\n");
    shop.repository.commit("second");
    let own: Worktree = create(&shop, json!({})).ok(201);
    let new: Worktree = create(&shop, json!({"branch": "new/one", "base": "there"})).ok(201);
    let there: Worktree = create(&shop, json!({"branch": "there"})).ok(201);
    assert_eq!(own.branch, format!("abide/{}", own.id));
    assert_eq!((new.branch.as_str(), there.branch.as_str()), ("new/one", "there"));
    let has_later = |worktree: &Worktree| Path::new(&worktree.path).join("later").exists();
    assert_eq!([&own, &new, &there].map(has_later), [true, false, false]);
    for worktree in [&own, &new, &there] {
        assert_eq!((worktree.state, worktree.repository_id), (WorktreeState::Ready, shop.id));
        assert_eq!(
            shop.repository.git_in(worktree.path.as_ref(), &["branch", "--show-current"]).trim(),
            worktree.branch
        );
        assert_eq!(shop.server.get(&path(worktree)).ok::<Worktree>(200), *worktree);
    }
    let of_one: Vec<Worktree> = shop.server.get(&format!("/api/repositories/{}/worktrees", shop.id)).ok(200);
    assert_eq!(of_one, [own, new, there]);
    assert_eq!(shop.worktrees(), of_one);
}

#[test]
fn a_worktree_that_cannot_be_made_leaves_nothing() {
    let shop = Workshop::new();
    let before = shop.branches();
    for (body, code) in [
        (json!({"branch": "-x"}), ErrorCode::BadText),
        (json!({"branch": "a..b"}), ErrorCode::BadText),
        (json!({"branch": "a b"}), ErrorCode::BadText),
        (json!({"branch": "x.lock"}), ErrorCode::BadText),
        (json!({"branch": ""}), ErrorCode::BadText),
        (json!({"branch": "main/x"}), ErrorCode::BranchExists),
        (json!({"branch": "x", "base": "nowhere"}), ErrorCode::GitRefused),
        (json!({"branch": "x", "base": "--help"}), ErrorCode::BadText),
    ] {
        create(&shop, body).problem(code);
    }
    assert_eq!(shop.worktrees(), []);
    assert_eq!(shop.branches(), before);
    assert_eq!(shop.linked(), Vec::<std::path::PathBuf>::new());
    let left = fs::read_dir(shop.house.path().join("worktrees")).into_iter().flatten().count();
    assert_eq!(left, 0);
}

#[test]
fn w3_a_branch_that_is_checked_out_elsewhere_is_refused_with_the_place() {
    let shop = Workshop::new();
    let problem = create(&shop, json!({"branch": "main"})).problem(ErrorCode::BranchElsewhere);
    let place = shop.repository.path().canonicalize().unwrap();
    assert_eq!(problem.error.detail, Some(json!({"path": place})));
    let other = shop.worktree(Some("other"));
    let problem = create(&shop, json!({"branch": "other"})).problem(ErrorCode::BranchElsewhere);
    assert_eq!(problem.error.detail, Some(json!({"path": other.path})));
}

#[test]
fn a_worktree_goes_to_the_trash_and_comes_back() {
    let shop = Workshop::new();
    let worktree = shop.worktree(Some("branch"));
    shop.server.step(&format!("{}/restore", path(&worktree))).problem(ErrorCode::WrongState);
    let removed: RemovedWorktree = shop.server.delete(&path(&worktree)).ok(200);
    assert_eq!((removed.worktree.state, removed.work.as_slice()), (WorktreeState::Trashed, &[][..]));
    assert!(removed.worktree.expires_at.unwrap() > removed.worktree.created_at);
    assert!(!Path::new(&worktree.path).exists());
    shop.server.delete(&path(&worktree)).problem(ErrorCode::WrongState);
    let elsewhere = shop.worktree(Some("branch"));
    assert_eq!(elsewhere.branch, "branch", "its branch is free for others");
    let _: RemovedWorktree = shop.server.delete(&path(&elsewhere)).ok(200);

    let back: Worktree = shop.server.step(&format!("{}/restore", path(&worktree))).ok(200);
    assert_eq!(back, worktree, "as it was");
    assert_eq!(shop.repository.git_in(back.path.as_ref(), &["branch", "--show-current"]).trim(), "branch");
    shop.server.step(&format!("{}/restore", path(&worktree))).problem(ErrorCode::WrongState);
}

#[test]
fn a_worktree_on_its_way_to_the_trash_is_not_missing() {
    let shop = Workshop::new();
    let worktree = shop.worktree(Some("branch"));
    // The moment in which the directory is moved and the database does not say so yet.
    let trash = shop.house.path().join("trash");
    fs::create_dir_all(&trash).unwrap();
    fs::rename(&worktree.path, trash.join(worktree.id.as_str())).unwrap();
    let moved: Worktree = shop.server.get(&path(&worktree)).ok(200);
    assert_eq!(moved.state, WorktreeState::Trashed);
    assert!(moved.expires_at.is_some());
    assert_eq!(shop.worktrees()[0].state, WorktreeState::Trashed);
    shop.server.delete(&path(&worktree)).problem(ErrorCode::WrongState);
    fs::rename(trash.join(worktree.id.as_str()), &worktree.path).unwrap();
    assert_eq!(shop.server.get(&path(&worktree)).ok::<Worktree>(200), worktree);
}

#[test]
fn restoring_a_worktree_overwrites_no_other_file() {
    let shop = Workshop::new();
    let worktree = shop.worktree(None);
    let _: RemovedWorktree = shop.server.delete(&path(&worktree)).ok(200);
    fs::write(&worktree.path, "mine").unwrap();
    shop.server.step(&format!("{}/restore", path(&worktree))).problem(ErrorCode::PathTaken);
    assert_eq!(fs::read_to_string(&worktree.path).unwrap(), "mine");
    fs::remove_file(&worktree.path).unwrap();
    let _: Worktree = shop.server.step(&format!("{}/restore", path(&worktree))).ok(200);
}

#[test]
fn a_worktree_whose_branch_has_moved_comes_back_without_it_and_the_answer_says_so() {
    let shop = Workshop::new();
    let worktree = shop.worktree(Some("branch"));
    let _: RemovedWorktree = shop.server.delete(&path(&worktree)).ok(200);
    shop.repository.write("later", "later\n");
    shop.repository.commit("second");
    shop.repository.git(&["branch", "--force", "branch", "main"]);
    let back: Worktree = shop.server.step(&format!("{}/restore", path(&worktree))).ok(200);
    assert!(back.note.as_ref().is_some_and(|note| note.contains("its branch has newer commits")), "{back:?}");
}

#[test]
fn a_worktree_in_which_a_session_works_is_not_removed() {
    let shop = Workshop::new();
    let worktree = shop.worktree(None);
    let session = json!({"type": "worktree", "repositoryId": shop.id, "worktreeId": worktree.id});
    let session: api::SessionReply = shop.server.post("/api/sessions", session).ok(201);
    let used: Worktree = shop.server.get(&path(&worktree)).ok(200);
    assert_eq!(used.session_ids, [session.session.id]);
    for query in ["", "?force=true"] {
        let problem = shop.server.delete(&format!("{}{query}", path(&worktree))).problem(ErrorCode::InUse);
        assert_eq!(problem.error.detail, Some(json!({"sessionIds": [session.session.id]})));
    }
    shop.server.delete(&format!("/api/sessions/{}", session.session.id)).empty(204);
    let _: RemovedWorktree = shop.server.delete(&path(&worktree)).ok(200);
}

/// Everything in a directory but git's own file: names, contents, and what may be done with them.
fn everything(directory: &Path) -> BTreeMap<String, (Vec<u8>, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let about = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
            if about.is_dir() {
                directories.push(path);
            } else if name != ".git" {
                let bytes = match about.is_symlink() {
                    true => fs::read_link(&path).unwrap().to_str().unwrap().into(),
                    false => fs::read(&path).unwrap(),
                };
                found.insert(name, (bytes, about.permissions().mode()));
            }
        }
    }
    found
}

/// What git has to say about a directory.
fn state(shop: &Workshop, directory: &Path) -> String {
    let ask = |arguments: &[&str]| shop.repository.git_in(directory, arguments);
    let status = ["status", "--porcelain=v2", "--branch", "--ignored", "--untracked-files=all"];
    [ask(&status), ask(&["diff", "--cached"]), ask(&["diff"]), ask(&["stash", "list"])].concat()
}

#[test]
fn w6_work_goes_to_the_trash_only_by_force_and_comes_back_byte_by_byte() {
    let shop = Workshop::new();
    shop.repository.write(".gitignore", "ignored\n");
    shop.repository.write("both", "one\n");
    shop.repository.write("gone", "one\n");
    shop.repository.commit("files");
    let worktree = shop.worktree(Some("work"));
    let place = Path::new(&worktree.path);
    fs::write(place.join("both"), "staged\n").unwrap();
    fs::write(place.join("new"), b"staged and\0not text\xff\n").unwrap();
    shop.repository.git_in(place, &["add", "both", "new"]);
    fs::write(place.join("both"), "not staged\n").unwrap();
    fs::write(place.join("README.md"), "not staged\n").unwrap();
    fs::remove_file(place.join("gone")).unwrap();
    fs::create_dir(place.join("deep")).unwrap();
    fs::write(place.join("deep/untracked"), "untracked\n").unwrap();
    fs::write(place.join("ignored"), "ignored\n").unwrap();
    std::os::unix::fs::symlink("nowhere", place.join("link")).unwrap();
    let (files, said) = (everything(place), state(&shop, place));
    assert_eq!(files.len(), 7, "{files:?}");

    let problem = shop.server.delete(&path(&worktree)).problem(ErrorCode::HasWork);
    let work = problem.error.detail.unwrap()["work"].to_string();
    assert!(work.contains("uncommitted changes") && work.contains("does not track"), "{work}");
    assert_eq!((everything(place), state(&shop, place)), (files.clone(), said.clone()), "nothing was done");

    let removed: RemovedWorktree = shop.server.delete(&format!("{}?force=true", path(&worktree))).ok(200);
    assert_eq!(removed.worktree.state, WorktreeState::Trashed);
    assert_eq!(json!(removed.work).to_string(), work);
    assert!(!place.exists());
    let shop = shop.kill_and_start();
    let back: Worktree = shop.server.step(&format!("{}/restore", path(&worktree))).ok(200);
    assert_eq!(back.state, WorktreeState::Ready);
    assert_eq!(everything(place), files);
    assert_eq!(state(&shop, place), said);
}

#[test]
fn a_worktree_that_cannot_be_removed_from_the_trash_does_not_stop_the_others() {
    let shop = Workshop::new();
    let other = super::Repository::new(shop.house.path(), "other");
    let registered: api::Repository =
        shop.server.post("/api/repositories", json!({"path": other.text()})).ok(201);
    let stuck: Worktree =
        shop.server.post(&format!("/api/repositories/{}/worktrees", registered.id), json!({})).ok(201);
    let expired = shop.worktree(None);
    for worktree in [&stuck, &expired] {
        let _: RemovedWorktree = shop.server.delete(&path(worktree)).ok(200);
    }
    let Workshop { server, repository: _repository, id: _, house } = shop;
    server.kill();
    // As if they had been there for a long time, and one repository had vanished meanwhile.
    let store = store::Database::open(&house.path().join("abide.db")).unwrap().of(model::OwnerId::ONLY);
    let trash = |id: model::WorktreeId| house.path().join("trash").join(id.as_str());
    for worktree in [&stuck, &expired] {
        store.take_back_worktree(worktree.id).unwrap();
        let trash = store::Trash { path: trash(worktree.id), head: None, branch: None };
        store.trash_worktree(worktree.id, trash, jiff::Timestamp::UNIX_EPOCH).unwrap();
    }
    drop(store);
    fs::rename(other.path(), house.path().join("elsewhere")).unwrap();
    let server = super::Server::start(&house);
    wait_for("the end of what expired", || (!trash(expired.id).exists()).then_some(()));
    assert!(trash(stuck.id).exists());
    wait_for("its end to be known", || {
        let left: Vec<Worktree> = server.get("/api/worktrees").ok(200);
        (left.len() == 1 && left[0].id == stuck.id).then_some(())
    });
}

#[test]
fn w6_commits_that_exist_nowhere_else_count_as_work() {
    let shop = Workshop::new();
    let worktree = shop.worktree(Some("work"));
    let place = Path::new(&worktree.path);
    fs::write(place.join("new"), "new\n").unwrap();
    shop.repository.git_in(place, &["add", "new"]);
    shop.repository.git_in(place, &["commit", "--quiet", "-m", "only here"]);
    let problem = shop.server.delete(&path(&worktree)).problem(ErrorCode::HasWork);
    let work = &problem.error.detail.unwrap()["work"];
    assert_eq!(*work, json!(["1 commit that is nowhere else"]));
    shop.repository.git(&["merge", "--quiet", "work"]);
    let removed: RemovedWorktree = shop.server.delete(&path(&worktree)).ok(200);
    assert_eq!(removed.work, Vec::<String>::new(), "what is merged is elsewhere");
    assert!(shop.branches().contains(&"work".to_owned()), "its branch stays");
}
