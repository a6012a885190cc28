//! `/api/repositories`: registered, listed, forgotten.

use std::fs;
use std::slice;

use api::ErrorCode;
use serde_json::json;

use super::{Repository, Server, Workshop};
use crate::house::House;

#[test]
fn a_repository_is_registered_listed_and_forgotten() {
    let house = House::new();
    let server = Server::start(&house);
    let project = Repository::new(house.path(), "project");
    fs::create_dir(project.path().join("src")).unwrap();
    let inside = format!("{}/src", project.text());
    let added: api::Repository = server.post("/api/repositories", json!({"path": inside})).ok(201);
    assert_eq!(added.path, project.path().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(added.name, "project");
    let listed: Vec<api::Repository> = server.get("/api/repositories").ok(200);
    assert_eq!(listed, slice::from_ref(&added));
    let path = format!("/api/repositories/{}", added.id);
    assert_eq!(server.get(&path).ok::<api::Repository>(200), added);
    server.delete(&path).empty(204);
    server.get(&path).problem(ErrorCode::NotFound);
    server.delete(&path).problem(ErrorCode::NotFound);
    assert_eq!(server.get("/api/repositories").ok::<Vec<api::Repository>>(200), []);
    assert_eq!(project.git(&["status", "--porcelain"]), "", "nothing of it is touched");
    let again: api::Repository = server.post("/api/repositories", json!({"path": project.text()})).ok(201);
    assert_eq!(again.id, added.id, "it is the same one when it comes back");
}

#[test]
fn a_repository_is_registered_once_whichever_of_its_directories_is_named() {
    let shop = Workshop::new();
    let linked = shop.worktree(None);
    for path in [shop.repository.text(), &linked.path] {
        let problem =
            shop.server.post("/api/repositories", json!({"path": path})).problem(ErrorCode::KnownRepository);
        assert_eq!(problem.error.detail, Some(json!({"repositoryId": shop.id})));
    }
}

#[test]
fn a_path_that_is_not_a_repository_is_refused() {
    let house = House::new();
    let server = Server::start(&house);
    let project = Repository::new(house.path(), "project");
    let code = |path: &str| {
        let answer = server.post("/api/repositories", json!({ "path": path }));
        let problem: api::Problem = answer.ok(422);
        problem.code()
    };
    let file = format!("{}/README.md", project.text());
    let detour = format!("{}/../project", project.text());
    for path in ["", "project", "~you", "/no/such/place", &file, &detour, "/a\0b"] {
        assert_eq!(code(path), ErrorCode::BadPath, "{path:?}");
    }
    assert_eq!(code(house.path().to_str().unwrap()), ErrorCode::NotARepository);
    for path in ["/", "~"] {
        assert_eq!(code(path), ErrorCode::NotARepository, "{path:?}");
    }
    assert_eq!(server.get("/api/repositories").ok::<Vec<api::Repository>>(200), []);
}

#[test]
fn tasks_are_removed_with_their_repository_only_if_the_request_says_so() {
    let shop = Workshop::new();
    let task = shop.task("Something");
    let path = format!("/api/repositories/{}", shop.id);
    let problem = shop.server.delete(&path).problem(ErrorCode::InUse);
    assert!(problem.error.hint.is_some_and(|hint| hint.contains("?tasks=true")));
    shop.server.delete(&format!("{path}?tasks=false")).problem(ErrorCode::InUse);
    let _: api::Task = shop.server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    shop.server.delete(&format!("{path}?tasks=true")).empty(204);
    shop.server.get(&format!("/api/tasks/{}", task.id)).problem(ErrorCode::NotFound);
}

#[test]
fn a_repository_in_use_cannot_be_removed() {
    let shop = Workshop::new();
    let path = format!("/api/repositories/{}?tasks=true", shop.id);
    let worktree = shop.worktree(None);
    shop.server.delete(&path).problem(ErrorCode::InUse);
    let _: api::RemovedWorktree = shop.server.delete(&format!("/api/worktrees/{}", worktree.id)).ok(200);
    let task = shop.running("Something");
    shop.server.delete(&path).problem(ErrorCode::InUse);
    shop.complete(task.id);
    shop.server.delete(&path).empty(204);
    shop.server.get(&format!("/api/repositories/{}/worktrees", shop.id)).problem(ErrorCode::NotFound);
}
