//! Two owners in one database: neither sees or changes anything of the other.

use std::net::Ipv4Addr;

use api::{NewToken, Repository, SearchReply, Session, SessionReply, SessionStatus, Task, WorkerReply};
use model::RepositoryId;
use rusqlite::Connection;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::policy::{Policy, RouteEntry};
use ureq::http::Method;

use super::matrix::request;
use super::{Objects, UNKNOWN, everything_of};
use crate::house::wait_for;
use crate::server::{Answer, Server, Socket, Workshop};

/// One of the owners of a server.
struct Owner<'a> {
    server: &'a Server,
    secret: String,
}

/// What an owner has after [`Owner::works`].
struct Things {
    named: Objects,
    /// The ids of all of it.
    ids: Vec<String>,
    /// The worker of the task.
    worker: String,
    /// The session with a terminal alone.
    quick: String,
}

impl Owner<'_> {
    fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.server.send(method, path, body, Some(&self.secret))
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> T {
        self.send(Method::GET, path, None).ok(200)
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: Value, status: u16) -> T {
        self.send(Method::POST, path, Some(body)).ok(status)
    }

    fn step<T: DeserializeOwned>(&self, path: &str, status: u16) -> T {
        self.send(Method::POST, path, None).ok(status)
    }

    /// Makes one of each kind of thing: a task whose agent runs in a worktree of this repository, a session with a
    /// terminal, and a token.
    fn works(&self, repository: RepositoryId) -> Things {
        let task = json!({"projectId": repository, "title": "Something", "agentId": "fake"});
        let task: Task = self.post("/api/tasks", task, 201);
        let _: Task = self.step(&format!("/api/tasks/{}/activate", task.id), 200);
        let _: Task = self.step(&format!("/api/tasks/{}/session/start", task.id), 202);
        let task = wait_for("an agent that runs", || {
            let task: Task = self.get(&format!("/api/tasks/{}", task.id));
            (task.session_status == Some(SessionStatus::Running)).then_some(task)
        });
        let quick: SessionReply =
            self.post("/api/sessions", json!({"type": "quick", "locationPath": "/"}), 201);
        let quick = quick.session.id.to_string();
        let terminal = json!({"type": "terminal", "command": ["sh", "-c", "read x"]});
        let terminal: WorkerReply = self.post(&format!("/api/sessions/{quick}/workers"), terminal, 201);
        let token: NewToken =
            self.post("/api/tokens", json!({"name": "one more", "scope": {"kind": "all"}}), 201);
        let mut named = Objects::of_owner(self.server, &self.secret, &task);
        named.ids.insert("tokens", token.token.id.to_string());
        let mut ids: Vec<String> = named.ids().map(str::to_owned).collect();
        ids.extend([quick.clone(), terminal.worker.id.to_string()]);
        Things { worker: task.worker_id.expect("it runs").to_string(), named, ids, quick }
    }

    /// Asks each route for each thing of the other owner. The answer is the same as for a thing that does not exist.
    fn sees_nothing_of(&self, theirs: &Things) {
        for route in &server::route_table() {
            let asked = |objects: &Objects| {
                let path = objects.fill(&route.path);
                request(self.server, Ipv4Addr::LOCALHOST, route, &path, Some(&self.secret))
            };
            if is_about_an_object(route) {
                let (answer, to_none) = (asked(&theirs.named), asked(&Objects::none()));
                let said = theirs.ids.iter().fold(answer.text, |text, id| text.replace(id, UNKNOWN));
                assert_eq!((answer.status, said), (to_none.status, to_none.text), "{route:?}");
                assert_eq!(answer.status, 404, "{route:?}");
            } else if route.method == Method::GET && matches!(route.policy, Policy::Owner) {
                let answer = asked(&theirs.named);
                assert_mentions_none(&answer.text, theirs, &route.path);
            }
        }
    }

    /// How often the recordings that this owner may read have a text.
    fn hits(&self, text: &str, more: &str) -> usize {
        let found: SearchReply = self.get(&format!("/api/search?pattern={text}{more}"));
        found.hits.len()
    }

    fn socket(&self, path: &str) -> Socket {
        Socket::open_as(self.server, path, &self.secret).unwrap_or_else(|status| panic!("{path}: {status}"))
    }
}

/// Whether the route is about one thing that belongs to an owner.
fn is_about_an_object(route: &RouteEntry) -> bool {
    !matches!(route.policy, Policy::Public) && route.path.contains('{')
}

fn assert_mentions_none(text: &str, theirs: &Things, place: &str) {
    for id in &theirs.ids {
        assert!(!text.contains(id.as_str()), "{place} tells of {id}: {text}");
    }
}

/// The owner of the data directory, and another one. Both have registered the same repository. The API cannot make an
/// owner yet, so the row of a new token gets another one.
fn owners(shop: &Workshop) -> [(Owner<'_>, RepositoryId); 2] {
    let server = &shop.server;
    let token = json!({"name": "of another", "scope": {"kind": "all"}});
    let made: NewToken = server.post("/api/tokens", token).ok(201);
    let database = Connection::open(shop.house.home().root().join("abide.db")).expect("the database");
    let changed = database
        .execute("UPDATE tokens SET owner = 'zzzzzzzz' WHERE id = ?", [made.token.id.as_str()])
        .expect("a token");
    assert_eq!(changed, 1);
    let second = Owner { server, secret: made.secret };
    let repository: Repository =
        second.post("/api/repositories", json!({"path": shop.repository.text()}), 201);
    [(Owner { server, secret: server.token.clone() }, shop.id), (second, repository.id)]
}

#[test]
fn s8_two_owners_see_and_change_nothing_of_each_other() {
    let shop = Workshop::new();
    let owners = owners(&shop);
    let things = [0, 1].map(|index: usize| owners[index].0.works(owners[index].1));
    let markers = ["found-only-by-the-first-owner", "found-only-by-the-second-owner"];
    for index in [0, 1] {
        // Without Enter: the agent would end on a whole line, and everything would change meanwhile.
        shop.house.called(&things[index].worker).send(markers[index].as_bytes());
        wait_for("a hit", || (owners[index].0.hits(markers[index], "") > 0).then_some(()));
    }
    let everything = || [0, 1].map(|index: usize| everything_of(&shop.server, &owners[index].0.secret));
    let before = everything();
    for (mine, theirs) in [(0, 1), (1, 0)] {
        let (owner, things) = (&owners[mine].0, &things[theirs]);
        owner.sees_nothing_of(things);
        assert_eq!(owner.hits(markers[theirs], ""), 0);
        assert_eq!(owner.hits(markers[theirs], &format!("&worker={}", things.worker)), 0);
    }
    assert_eq!(everything(), before);
}

#[test]
fn s8_the_sockets_of_an_owner_show_and_reach_nothing_of_another() {
    let shop = Workshop::new();
    let owners = owners(&shop);
    let mut dashboards = owners.each_ref().map(|(owner, _)| owner.socket("/ws/dashboard"));
    let things = [0, 1].map(|index: usize| owners[index].0.works(owners[index].1));
    let mut shown = [String::new(), String::new()];
    for (mine, theirs) in [(0, 1), (1, 0)] {
        let (owner, theirs) = (&owners[mine].0, &things[theirs]);
        let mut terminals = owner.socket("/ws/terminals");
        for kind in ["reattach_session", "input", "resize", "close_session"] {
            let asked = json!({"type": kind, "workerId": theirs.worker, "data": "x\r", "cols": 9, "rows": 9});
            let mut to_none = asked.clone();
            to_none["workerId"] = json!(UNKNOWN);
            let [answer, expected] = [asked, to_none].map(|message| {
                terminals.say(&message);
                terminals.wait_for_type("error").to_string()
            });
            assert_eq!(answer.replace(&theirs.worker, UNKNOWN), expected, "{kind}");
        }
        terminals.say(&json!({"type": "create_session", "sessionId": theirs.quick}));
        assert_eq!(terminals.wait_for_type("error")["code"], "not-found");
        terminals.say(&json!({"type": "list_sessions"}));
        assert_mentions_none(&terminals.wait_for_type("session_list").to_string(), theirs, "the list");
        // The last event of each owner. Everything before it has come.
        let path = format!("/api/sessions/{}", things[mine].quick);
        let _: Session = owner.send(Method::PATCH, &path, Some(json!({"title": "the last one"}))).ok(200);
        dashboards[mine].wait_for("its title", |message| {
            shown[mine].push_str(&message.to_string());
            message["event"]["session"]["title"] == "the last one"
        });
    }
    for (mine, theirs) in [(0, 1), (1, 0)] {
        assert_mentions_none(&shown[mine], &things[theirs], "the dashboard");
        assert!(shown[mine].contains(&things[mine].worker), "{}", shown[mine]);
    }
    for (mine, theirs) in [(0, 1), (1, 0)] {
        let state = owners[mine].0.socket("/ws/dashboard").json().to_string();
        assert_mentions_none(&state, &things[theirs], "the state");
        assert!(state.contains(&things[mine].worker), "{state}");
    }
}
