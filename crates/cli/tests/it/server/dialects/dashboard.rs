//! `/ws/dashboard`: everything as it is, then everything that happens.

use api::SessionStatus;
use serde_json::{Value, json};

use super::{Door, Seat, Stage};
use crate::house::House;
use crate::server::{Server, Socket};

/// An agent that reports the status that is typed into it.
const ACTOR: &str = r#"stty -echo; echo ready
while read x; do case $x in
working) printf '\033]7501;state=working\007';;
blocked) printf '\033]7501;state=blocked:kind=question:msg=V2hpY2ggb25lPw==\007';;
idle) printf '\033]7501;state=idle\007';;
prompt) printf '\033]133;A\007$ \033]133;B\007';;
command) printf '\033]133;C\007';;
esac; done"#;

fn event(kind: &str) -> impl Fn(&Value) -> bool + '_ {
    move |message| message["event"]["kind"] == kind
}

#[test]
fn the_status_that_an_agent_reports_is_its_activity_and_its_tasks_status() {
    let stage = Stage::new(ACTOR);
    let mut dashboard = Socket::open(&stage.server, "/ws/dashboard");
    dashboard.json();
    let mut seat = Seat::take(&stage, Door::Json);
    seat.wait_for("ready");
    assert_eq!(seat.wait_to_hear("activity")["state"], "unknown");
    let steps = [
        ("working", "active", SessionStatus::Running, Value::Null),
        ("blocked", "asking", SessionStatus::WaitingForInput, json!("Which one?")),
        ("working", "active", SessionStatus::Running, Value::Null),
        ("prompt", "idle", SessionStatus::Running, Value::Null),
        ("command", "active", SessionStatus::Running, Value::Null),
        ("blocked", "asking", SessionStatus::WaitingForInput, json!("Which one?")),
        ("prompt", "idle", SessionStatus::Running, Value::Null),
    ];
    for (word, activity, status, asking) in steps {
        seat.keys(&format!("{word}\r"));
        assert_eq!(seat.wait_to_hear("activity")["state"], activity, "{word}");
        let told = dashboard.wait_for(word, |message| {
            event("worker.changed")(message) && message["event"]["worker"]["activity"] == activity
        });
        assert_eq!(told["event"]["worker"]["asking"], asking, "{word}");
        let wanted = serde_json::to_value(status).expect("a word");
        dashboard.wait_for(word, |message| {
            event("task.changed")(message) && message["event"]["task"]["sessionStatus"] == wanted
        });
        let task: api::Task = stage.server.get(&format!("/api/tasks/{}", stage.task.id)).ok(200);
        assert_eq!(task.session_status, Some(status), "{word}");
    }
}

#[test]
fn s1_a_dashboard_gets_the_events_of_a_terminal_in_order() {
    let house = House::new();
    let server = Server::start(&house);
    let mut dashboard = Socket::open(&server, "/ws/dashboard");
    assert_eq!(dashboard.json()["type"], "state");
    let (session, worker) = server.terminal("/", "read x; exit 9");
    let about = |message: &Value, kind: &str| {
        event(kind)(message) && message["event"]["workerId"] == json!(worker.id)
    };
    let created = dashboard.wait_for("its start", |message| about(message, "terminal.session_created"));
    assert_eq!(created["event"]["sessionId"], json!(session.id));
    let path = format!("/ws/session/{}/worker/{}", session.id, worker.id);
    let mut first = Socket::open(&server, &path);
    first.json();
    let attached = dashboard.wait_for("a viewer", |message| about(message, "terminal.viewer_attached"));
    assert_eq!(attached["event"]["viewers"], 1);
    assert!(
        attached["event"]["viewer"].as_str().is_some_and(|name| name.ends_with("worker socket")),
        "{attached}"
    );
    let second = Socket::open(&server, &path);
    dashboard.wait_for("another", |message| {
        about(message, "terminal.viewer_attached") && message["event"]["viewers"] == 2
    });
    drop(second);
    dashboard.wait_for("its leaving", |message| {
        about(message, "terminal.viewer_detached") && message["event"]["viewers"] == 1
    });
    first.say(&json!({"type": "input", "data": "\r"}));
    let exited = dashboard.wait_for("its end", |message| about(message, "terminal.process_exited"));
    assert_eq!((&exited["event"]["exitCode"], &exited["event"]["signal"]), (&json!(9), &Value::Null));
    server.delete(&format!("/api/sessions/{}/workers/{}", session.id, worker.id)).empty(204);
    dashboard.wait_for("its closing", |message| about(message, "terminal.session_closed"));

    // One that is killed says by what.
    let (_, killed) = server.terminal("/", "kill -9 $$");
    let exited = dashboard.wait_for("its end", |message| {
        event("terminal.process_exited")(message) && message["event"]["workerId"] == json!(killed.id)
    });
    assert_eq!((&exited["event"]["exitCode"], &exited["event"]["signal"]), (&json!(137), &json!(9)));
}

/// What a dashboard shows, kept by its events as a page would.
#[derive(Debug, Default)]
struct Page {
    seq: u64,
    epoch: String,
    things: std::collections::BTreeMap<String, Value>,
}

impl Page {
    fn take(&mut self, message: &Value) {
        let seq = message["seq"].as_u64().expect("a number");
        match message["type"].as_str() {
            Some("state") => {
                self.things.clear();
                self.epoch = message["epoch"].as_str().expect("an epoch").to_owned();
                for kind in ["sessions", "tasks", "repositories", "worktrees"] {
                    for thing in message[kind].as_array().expect("a list") {
                        self.things.insert(thing["id"].as_str().expect("an id").to_owned(), thing.clone());
                    }
                }
            }
            Some("resumed") => {
                assert_eq!((self.seq, message["epoch"].as_str()), (seq, Some(self.epoch.as_str())));
            }
            Some("event") => {
                assert_eq!(seq, self.seq + 1, "none is missing and none comes twice");
                let event = &message["event"];
                let kind = event["kind"].as_str().expect("a kind");
                for thing in ["session", "task", "repository", "worktree"] {
                    if kind == format!("{thing}.changed") {
                        self.things.insert(
                            event[thing]["id"].as_str().expect("an id").to_owned(),
                            event[thing].clone(),
                        );
                    }
                    if kind == format!("{thing}.removed") {
                        self.things.remove(event[format!("{thing}Id")].as_str().expect("an id"));
                    }
                }
            }
            other => panic!("{other:?}"),
        }
        self.seq = seq;
    }

    fn follow(&mut self, socket: &mut Socket, until: impl Fn(&Page) -> bool) {
        while !until(self) {
            self.take(&socket.json());
        }
    }
}

#[test]
fn a_dashboard_that_reconnects_gets_the_changes_it_missed() {
    let house = House::new();
    let server = Server::start(&house);
    let path = |page: &Page| format!("/ws/dashboard?epoch={}&since={}", page.epoch, page.seq);
    let title = |id: &str, title: &str| {
        let _: api::Session = server.patch(&format!("/api/sessions/{id}"), json!({"title": title})).ok(200);
    };
    let has =
        |page: &Page, id: &str, title: &str| page.things.get(id).is_some_and(|thing| thing["title"] == title);
    let (session, _) = server.terminal("/", "read x");
    let id = session.id.to_string();
    let mut page = Page::default();
    let mut socket = Socket::open(&server, "/ws/dashboard");
    page.take(&socket.json());
    title(&id, "first");
    page.follow(&mut socket, |page| has(page, &id, "first"));
    drop(socket);
    // While it is away something comes, something goes, and something changes.
    title(&id, "second");
    let (gone, _) = server.terminal("/", "read x");
    let (new, _) = server.terminal("/tmp", "read x");
    server.delete(&format!("/api/sessions/{}", gone.id)).empty(204);
    let mut socket = Socket::open(&server, &path(&page));
    let resumed = socket.json();
    assert_eq!(resumed["type"], "resumed", "{resumed}");
    page.take(&resumed);
    page.follow(&mut socket, |page| {
        has(page, &id, "second")
            && page.things.contains_key(new.id.as_str())
            && !page.things.contains_key(gone.id.as_str())
    });

    // A number that never was, another run of the server, and half of it: everything as it is.
    let (epoch, seq) = (page.epoch.clone(), page.seq);
    for query in [
        format!("?epoch={epoch}&since={}", seq + 1_000_000),
        format!("?epoch=00000000&since={seq}"),
        format!("?epoch={epoch}"),
        format!("?since={seq}"),
        String::new(),
    ] {
        let state = Socket::open(&server, &format!("/ws/dashboard{query}")).json();
        assert_eq!(state["type"], "state", "{query}: {state}");
        let ids: Vec<&Value> =
            state["sessions"].as_array().expect("a list").iter().map(|session| &session["id"]).collect();
        assert_eq!(ids.len(), 2, "{state}");
    }
    server.stop();
    let server = Server::start(&house);
    let mut socket = Socket::open(&server, &path(&page));
    let state = socket.json();
    assert_eq!(state["type"], "state");
    assert_ne!(state["epoch"], json!(page.epoch));
    page.take(&state);
    assert!(has(&page, &id, "second"));
}

#[test]
fn a_dashboard_takes_no_orders() {
    let stage = Stage::new(ACTOR);
    let mut dashboard = Socket::open(&stage.server, "/ws/dashboard");
    dashboard.json();
    // A dashboard ignores every message.
    for text in [r#"{"type":"input","data":"working\r"}"#, r#"{"type":"close_session"}"#, "nonsense"] {
        dashboard.text(text);
    }
    let mut seat = Seat::take(&stage, Door::Json);
    seat.wait_for("ready");
    dashboard.wait_for("the viewer", event("terminal.viewer_attached"));
    let worker: api::Worker = stage.server.get(&format!("/api/workers/{}", stage.worker)).ok(200);
    assert_eq!(worker.activity, api::Activity::Unknown);
}

#[test]
fn a_dashboard_answers_pings() {
    let house = House::new();
    let server = Server::start(&house);
    let mut dashboard = Socket::open(&server, "/ws/dashboard");
    assert_eq!(dashboard.json()["type"], "state");
    for _ in 0..2 {
        dashboard.say(&json!({ "type": "ping" }));
        dashboard.wait_for_type("pong");
    }
}
