//! What enters the inbox is told to a command and a URL.

use std::fs;

use api::{Health, InboxReason, SessionReply};
use serde_json::{Value, json};
use testkit::{Answer, ScriptedServer, Watcher, write_executable};

use super::Server;
use super::inbox::Desk;
use crate::house::{House, wait_for};

/// A house with a command that keeps what it is told.
fn house(settings: &str) -> House {
    let house = House::new();
    let program = house.path().join("tell");
    let told = house.path().join("told");
    write_executable(&program, &format!("#!/bin/sh\n{{ cat; echo; }} >>'{}'\n", told.display()));
    let settings = settings.replace("TELL", program.to_str().unwrap());
    fs::write(house.path().join("config.toml"), settings).unwrap();
    house
}

/// What the command was told.
fn told(house: &House) -> Vec<Value> {
    let told = fs::read_to_string(house.path().join("told")).unwrap_or_default();
    told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn titles(told: &[Value]) -> Vec<&str> {
    told.iter().filter_map(|nudge| nudge["title"].as_str()).collect()
}

#[test]
fn what_enters_the_inbox_is_told_once_also_when_the_server_is_killed() {
    let (server, url) = ScriptedServer::at_a_port(vec![Answer::body("POST /topic", 200, "")]);
    let house = house(&format!("notify_command = \"TELL\"\nnotify_url = \"{url}/topic\"\n"));
    let desk = Desk::in_house(house);
    let item = desk.asked("a");
    let first = wait_for("a message", || told(&desk.house).pop());
    assert_eq!(first["waiting"][0]["inboxItemId"], item.id.as_str());
    assert_eq!(first["waiting"][0]["words"], "Do you want to proceed?");
    assert_eq!(first["waiting"][0]["reason"], "asking");
    wait_for("a request", || server.requests().pop());
    let Desk { server: first_server, house, worker } = desk;
    first_server.kill();
    let desk = Desk { server: Server::start(&house), house, worker };
    desk.wait_until(model::Activity::Asking);
    desk.press("1");
    desk.wait_until(model::Activity::Idle);
    desk.press("w");
    desk.wait_until(model::Activity::Active);
    desk.press(".");
    desk.wait_for(InboxReason::Finished);
    let all = wait_for("two messages", || Some(told(&desk.house)).filter(|told| told.len() > 1));
    let name = all[0]["waiting"][0]["worker"].as_str().unwrap();
    assert_eq!(titles(&all), [format!("{name} asks"), format!("{name} finished")]);
    let posted = wait_for("two requests", || Some(server.requests()).filter(|all| all.len() > 1));
    let posted: Vec<Value> =
        posted.iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect();
    assert_eq!(posted, all, "the URL gets the same");
}

#[test]
fn a_person_who_looks_at_a_worker_is_not_told_until_they_leave() {
    let desk = Desk::in_house(house("notify_command = \"TELL\"\n"));
    let session = json!({"type": "quick", "locationPath": desk.house.path(), "agentId": "asker"});
    let other: SessionReply = desk.server.post("/api/sessions", session).ok(201);
    let other = other.session.workers[0].id;
    desk.server.wait_for_worker(other, "idle", |worker| worker.activity == model::Activity::Idle);
    let mut watcher = Watcher::watch(&desk.house.called(desk.id().as_str()));
    watcher.wait_for("for help");
    desk.server.wait_for_worker(desk.id(), "a viewer", |worker| worker.viewers > 0);
    desk.asked("a");
    desk.house.called(other.as_str()).send(b"a");
    let first = wait_for("a message", || told(&desk.house).pop());
    assert_eq!(first["waiting"][0]["workerId"], other.as_str());
    drop(watcher);
    let all = wait_for("another message", || Some(told(&desk.house)).filter(|told| told.len() > 1));
    assert_eq!(all[1]["waiting"][0]["workerId"], desk.id().as_str());
    assert_eq!(all.len(), 2);
}

#[test]
fn a_message_that_does_not_arrive_is_told_by_doctor_without_the_secret() {
    let (_server, url) = ScriptedServer::at_a_port(vec![Answer::body("POST /topic", 500, "")]);
    let desk = Desk::in_house(house(&format!("notify_url = \"{url}/topic\"\n")));
    let health = || desk.server.get("/api/health").ok::<Health>(200).notify_failure;
    assert_eq!(health(), None);
    let item = desk.asked("a");
    let failure = wait_for("a failure", health);
    assert!(failure.ends_with("answered with status 500") && !failure.contains("topic"), "{failure}");
    let doctor = String::from_utf8(desk.house.run(["doctor"]).stdout).unwrap();
    assert!(doctor.contains(&failure) && doctor.contains("abide notify test"), "{doctor}");
    assert!(!doctor.contains("topic"), "{doctor}");
    assert_eq!(desk.inbox(), [item], "the server goes on");
}

#[test]
fn a_test_message_reaches_each_destination_without_a_server() {
    let (server, url) = ScriptedServer::at_a_port(vec![Answer::body("POST /topic", 200, "")]);
    let house =
        house(&format!("notify_command = \"TELL\"\nnotify_url = \"{url}/topic\"\nnotify_form = \"text\"\n"));
    let output = house.output(["notify", "test"]);
    assert!(output.contains("told `/") && output.contains(&format!("told {url}/…")), "{output}");
    assert_eq!(titles(&told(&house)), ["abide can reach you"]);
    assert!(server.requests()[0].body.starts_with("This is a test."), "{:?}", server.requests());
    fs::write(house.path().join("config.toml"), "notify_command = \"/no/such/program\"\n").unwrap();
    let output = house.run(["notify", "test"]);
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.starts_with("error: cannot start `/no/such/program`"), "{words}");
    fs::write(house.path().join("config.toml"), "").unwrap();
    let output = house.run(["notify", "test"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("set `notify_command` or `notify_url`"));
}
