//! Agents that are started again go on with their own conversation, and with no other.

use std::fs;

use api::{InboxItem, InboxReason, Session, SessionReply, Worker, WorkerReply};
use model::WorkerId;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::Server;
use crate::house::{House, signal, wait_for};

/// A stand-in for an agent that takes an id, as Claude does. A conversation is a file from its first prompt on. Each line
/// that it reads is a prompt; `/clear` begins another conversation. It tells which conversation it has in a file that is
/// named after its process.
const NAMED: &str = r#"
keep="$HOME/.named"; mkdir -p "$keep/sessions"
tell() { printf '{"pid":%s,"sessionId":"%s"}' $$ "$id" >"$keep/sessions/$$.json"; }
case "$1" in
    --session-id) id=$2; shift 2; [ -e "$keep/$id.jsonl" ] && { echo "Session ID $id is already in use."; exit 1; };;
    --resume) id=$2; shift 2
        if ! [ -e "$keep/$id.jsonl" ] || grep -q lost "$keep/$id.jsonl"; then
            echo "No conversation found with session ID: $id"; exit 1
        fi;;
    --continue) echo "the newest"; id=newest00; shift;;
esac
prompt() { echo "$1" >>"$keep/$id.jsonl"; tell; printf '\033]7501;state=working\007'; shown; printf '\033]7501;state=idle\007'; }
shown() { echo "conversation: $(cat "$keep/$id.jsonl" 2>/dev/null | tr '\n' ',')"; }
tell
shown
printf '\033]7501;state=idle\007'
[ "$1" = -- ] && prompt "$2"
while read -r line; do
    case "$line" in
        /clear) id=$(cat /proc/sys/kernel/random/uuid); tell; echo cleared;;
        *) prompt "$line";;
    esac
done
"#;

/// A stand-in for an agent that takes no id, as Codex does. It opens the file of its conversation at the first prompt.
const UNNAMED: &str = r#"
keep="$HOME/.unnamed"; mkdir -p "$keep"
begin() {
    id=$(cat /proc/sys/kernel/random/uuid); number=$(ls "$keep" | wc -l)
    file="$keep/rollout-$number-$id.jsonl"; exec 3>>"$file"
}
if [ "$1" = resume ] && [ "$2" = --last ]; then echo "the newest"; shift 2; fi
if [ "$1" = resume ]; then
    file=$(ls "$keep"/rollout-*-"$2".jsonl) || { echo "No saved session found with ID $2"; exit 1; }
    exec 3>>"$file"; shift 2
fi
prompt() {
    [ -n "$file" ] || begin
    echo "$1" >&3; printf '\033]7501;state=working\007'; shown; printf '\033]7501;state=idle\007'
}
shown() { echo "conversation: $([ -n "$file" ] && cat "$file" | tr '\n' ',')"; }
shown
printf '\033]7501;state=idle\007'
[ "$1" = -- ] && prompt "$2"
while read -r line; do
    case "$line" in
        /clear) begin; printf '\033]7501;state=working\007'; echo cleared; printf '\033]7501;state=idle\007';;
        *) prompt "$line";;
    esac
done
"#;

/// A server whose agents are the stand-ins.
struct Study {
    // In this order: the server goes before its house.
    server: Server,
    house: House,
}

impl Study {
    fn new() -> Study {
        let house = House::new();
        for (name, script) in [("named", NAMED), ("unnamed", UNNAMED)] {
            fs::write(house.path().join(format!("{name}.sh")), script).unwrap();
        }
        let home = house.path().display();
        let definitions = format!(
            r#"
[[agent]]
id = "named"
name = "Named"
command = ["sh", "{home}/named.sh"]
prompt = ["--", "{{prompt}}"]
continue = ["--continue"]
start-with-id = ["--session-id", "{{id}}"]
resume = ["--resume", "{{id}}"]
conversation = {{ config = "~/.named", kept-in = "{{config}}/{{id}}.jsonl", told-in = "{{config}}/sessions/{{pid}}.json", gone = 'No conversation found' }}

[[agent]]
id = "unnamed"
name = "Unnamed"
command = ["sh", "{home}/unnamed.sh"]
prompt = ["--", "{{prompt}}"]
continue = ["resume", "--last"]
resume = ["resume", "{{id}}"]
conversation = {{ kept-in = "~/.unnamed/rollout-*-{{id}}.jsonl", open-file = '/rollout-[0-9]+-([0-9a-f-]{{36}})\.jsonl$' }}
"#
        );
        fs::write(house.path().join("agents.toml"), definitions).unwrap();
        let server = Server::start(&house);
        Study { server, house }
    }

    fn begin(&self, agent: &str, prompt: Option<&str>) -> Worker {
        let session =
            json!({"type": "quick", "locationPath": self.house.path(), "agentId": agent, "prompt": prompt});
        let reply: SessionReply = self.server.post("/api/sessions", session).ok(201);
        reply.session.workers[0].clone()
    }

    fn beside(&self, worker: &Worker, prompt: &str) -> Worker {
        let api::WorkerKind::Agent { agent_id } = &worker.kind else { panic!("{worker:?}") };
        let new = json!({"type": "agent", "agentId": agent_id, "prompt": prompt});
        let path = format!("/api/sessions/{}/workers", worker.session_id);
        self.server.post(&path, new).ok::<WorkerReply>(201).worker
    }

    /// Waits until a worker has printed this, in this order.
    fn shows(&self, worker: WorkerId, text: &str) {
        wait_for(&format!("`{text}`"), || {
            let screen = self.house.output(["screen", worker.as_str()]);
            screen.contains(text).then_some(())
        });
    }

    fn types(&self, worker: WorkerId, line: &str) {
        self.house.called(worker.as_str()).send(format!("{line}\r").as_bytes());
    }

    /// Waits until the conversation that a worker has now is noted.
    fn noted(&self, worker: WorkerId) -> String {
        let dir = self.house.home().worker(worker);
        wait_for("the conversation", || dir.conversation()).id
    }

    fn kill(&self, worker: WorkerId) {
        signal(self.house.called(worker.as_str()).status().child_pid, Signal::KILL);
        self.server.wait_for_worker(worker, "its end", |worker| worker.ended_at.is_some());
    }

    fn restart_with(&self, worker: &Worker, body: Value) -> WorkerReply {
        let path = format!("/api/sessions/{}/workers/{}/restart", worker.session_id, worker.id);
        self.server.post(&path, body).ok(200)
    }

    fn restart(&self, worker: &Worker) -> WorkerReply {
        let path = format!("/api/sessions/{}/workers/{}/restart", worker.session_id, worker.id);
        self.server.step(&path).ok(200)
    }

    fn screen(&self, worker: WorkerId) -> String {
        self.house.output(["screen", worker.as_str()])
    }
}

#[test]
fn two_agents_of_one_kind_in_one_directory_keep_two_conversations() {
    let study = Study::new();
    for agent in ["named", "unnamed"] {
        let one = study.begin(agent, Some("first one"));
        study.shows(one.id, "conversation: first one,");
        study.noted(one.id);
        let two = study.beside(&one, "second one");
        study.shows(two.id, "conversation: second one,");
        study.noted(two.id);
        // The one that did not speak last was killed, and the other one still runs.
        study.kill(one.id);
        let again = study.restart(&one);
        assert_eq!(again.notice, None);
        study.shows(again.worker.id, "conversation: first one,");
        study.types(again.worker.id, "more");
        study.shows(again.worker.id, "conversation: first one,more,");
        study.noted(again.worker.id);
        // All of a session at once, while they run; and once more after a server was killed.
        let session: Session =
            study.server.step(&format!("/api/sessions/{}/restart", one.session_id)).ok(200);
        assert_eq!(session.notices, [""; 0]);
        let running: Vec<&Worker> =
            session.workers.iter().filter(|worker| worker.ended_at.is_none()).collect();
        let [first, second] = running.as_slice() else { panic!("{running:?}") };
        study.shows(first.id, "conversation: first one,more,");
        study.shows(second.id, "conversation: second one,");
    }
}

#[test]
fn p1_a_conversation_is_known_to_the_next_server() {
    for agent in ["named", "unnamed"] {
        let Study { server, house } = Study::new();
        let study = Study { server, house };
        let worker = study.begin(agent, Some("keep this"));
        study.noted(worker.id);
        let Study { server, house } = study;
        server.kill();
        signal(house.called(worker.id.as_str()).status().child_pid, Signal::KILL);
        for file in ["abide.db", "abide.db-wal", "abide.db-shm"] {
            let _ = fs::remove_file(house.path().join(file));
        }
        let study = Study { server: Server::start(&house), house };
        study.server.wait_for_worker(worker.id, "its end", |worker| worker.ended_at.is_some());
        let again = study.restart(&worker);
        study.shows(again.worker.id, "conversation: keep this,");
    }
}

#[test]
fn a_conversation_that_the_agent_began_in_between_is_the_one_that_goes_on() {
    let study = Study::new();
    for agent in ["named", "unnamed"] {
        let worker = study.begin(agent, Some("old"));
        let old = study.noted(worker.id);
        study.types(worker.id, "/clear");
        study.shows(worker.id, "cleared");
        study.types(worker.id, "new");
        study.shows(worker.id, "conversation: new,");
        // It runs: what it has now is read before it is ended.
        let again = study.restart(&worker);
        study.shows(again.worker.id, "conversation: new,");
        assert_ne!(study.noted(worker.id), old);
    }
}

#[test]
fn an_agent_without_a_conversation_begins_one_and_says_so() {
    let study = Study::new();
    for (agent, words) in [("named", "nothing to continue"), ("unnamed", "not known which conversation")] {
        let worker = study.begin(agent, None);
        study.shows(worker.id, "conversation:");
        let again = study.restart(&worker);
        let notice = again.notice.expect("a notice");
        assert!(notice.contains(words), "{notice}");
        let session: Session = study.server.get(&format!("/api/sessions/{}", worker.session_id)).ok(200);
        assert_eq!(session.notices, [notice]);
        study.types(again.worker.id, "now");
        study.shows(again.worker.id, "conversation: now,");
        let kept = study.restart(&again.worker);
        assert_eq!(kept.notice, None);
        study.shows(kept.worker.id, "conversation: now,");
    }
}

#[test]
fn a_person_may_choose_a_new_conversation_or_the_newest() {
    let study = Study::new();
    for agent in ["named", "unnamed"] {
        let worker = study.begin(agent, Some("before"));
        study.noted(worker.id);
        let fresh = study.restart_with(&worker, json!({"continueConversation": false}));
        assert_eq!(fresh.notice, None);
        study.types(fresh.worker.id, "after");
        study.shows(fresh.worker.id, "conversation: after,");
        assert!(!study.screen(fresh.worker.id).contains("before"), "the prompt is not given again");
        let newest = study.restart_with(&fresh.worker, json!({"newest": true}));
        study.shows(newest.worker.id, "the newest");
    }
}

#[test]
fn a_conversation_that_the_agent_has_lost_is_said_and_not_tried_again() {
    let study = Study::new();
    let worker = study.begin("named", Some("lost"));
    study.noted(worker.id);
    let again = study.restart(&worker);
    let is_said = |items: Vec<InboxItem>| {
        items.into_iter().find(|item| {
            item.reason == InboxReason::Failed
                && item.words.as_deref().is_some_and(|words| words.contains("does not have its conversation"))
        })
    };
    let item = wait_for("a word about it", || is_said(study.server.get("/api/inbox").ok(200)));
    assert_eq!(item.worker_id, again.worker.id);
    let fresh = study.restart(&again.worker);
    assert!(fresh.notice.is_some_and(|notice| notice.contains("any more; it begins a new one")));
    study.types(fresh.worker.id, "found");
    study.shows(fresh.worker.id, "conversation: found,");
}

#[test]
fn a_worker_that_has_ended_keeps_its_handle() {
    let study = Study::new();
    let worker = study.begin("named", None);
    let handle =
        |worker: WorkerId| study.server.get(&format!("/api/workers/{worker}")).ok::<Worker>(200).handle;
    let before = wait_for("a handle", || handle(worker.id));
    study.kill(worker.id);
    assert_eq!(handle(worker.id), Some(before));
}
