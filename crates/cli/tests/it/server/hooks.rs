//! What the hooks of agents tell, and the answers that go back through them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use api::{Answer, AuditEntry, ErrorCode, InboxItem, InboxReason, SessionReply, Worker};
use model::{Activity, WorkerId};
use rustix::process::Signal;
use serde_json::json;

use super::Server;
use crate::house::{ABIDE, House, signal, wait_for};

/// A stand-in for an agent that shows nothing and runs its hooks, as Claude does: it gets a file of settings and runs the
/// command of each event with the event on standard input. The answer of a hook goes to the file `decisions`.
///
/// - `w` works, `d` is done, `a COMMAND` asks for a permission, `q` asks a question. It goes on reading while it asks.
/// - `k` is a person who answers the last question in the terminal.
const HOOKED: &str = r#"
stty -echo
echo "$@" >arguments
[ "$1" = --settings ] && settings=$2
command_of() { sed -n "/\"$1\"/,/command\"/s/^ *\"command\": \"\(.*\)\",\{0,1\}$/\1/p" "$settings" | head -n 1 | sed 's/\\"/"/g'; }
event() { printf '{"hook_event_name":"%s","session_id":"0f8e2c1a-5b7d-4c3e-9a1f-2b3c4d5e6f70"%s}' "$1" "$2"; }
run() { event "$1" "$2" | sh -c "$(command_of "$1")"; }
asks() { ( echo "$1 $(run PermissionRequest "$2")" >>decisions.new; sort decisions.new >decisions ) & }
echo ready
while read -r line; do
    case "$line" in
        w) run UserPromptSubmit ',"prompt":"secret words"'; echo works;;
        d) run Stop ',"last_assistant_message":"All done."'; echo rests;;
        a*) asks "${line#a }" ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"${line#a }\"},\"permission_suggestions\":[{\"type\":\"addRules\"}]";;
        q) asks q ',"tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which database?","options":[{"label":"SQLite"},{"label":"PostgreSQL"}]}]}';;
        k) run PostToolUse ',"tool_response":{"stdout":"x"}'; echo goes on;;
    esac
done
"#;

/// A server, and a worker whose agent has only hooks to tell what it does.
struct Desk {
    // In this order: the server goes before its house.
    server: Server,
    house: House,
    worker: Worker,
}

impl Desk {
    fn new() -> Desk {
        Desk::of("events = [\"UserPromptSubmit\", \"PermissionRequest\", \"PostToolUse\", \"Stop\"]")
    }

    fn of(events: &str) -> Desk {
        let house = House::new();
        fs::write(house.path().join("hooked.sh"), HOOKED).unwrap();
        let home = house.path().display();
        let definition = format!(
            "[[agent]]\nid = \"hooked\"\nname = \"Hooked\"\ncommand = [\"sh\", \"{home}/hooked.sh\"]\nwork-is-shown = true\n\
             [agent.hooks]\narguments = [\"--settings\", \"{{file}}\"]\n{events}\nanswers = [\"PermissionRequest\"]\n"
        );
        fs::write(house.path().join("agents.toml"), definition).unwrap();
        let server = Server::start(&house);
        let session = json!({"type": "quick", "locationPath": house.path(), "agentId": "hooked"});
        let reply: SessionReply = server.post("/api/sessions", session).ok(201);
        let worker = reply.session.workers[0].clone();
        let desk = Desk { server, house, worker };
        desk.shows("ready");
        desk
    }

    fn id(&self) -> WorkerId {
        self.worker.id
    }

    fn types(&self, line: &str) {
        self.house.called(self.id().as_str()).send(format!("{line}\r").as_bytes());
    }

    fn shows(&self, text: &str) {
        let screen = || self.house.output(["screen", self.id().as_str()]);
        wait_for(text, || screen().contains(text).then_some(()));
    }

    fn is(&self, activity: Activity) -> Worker {
        self.server.wait_for_worker(self.id(), activity.as_str(), |worker| worker.activity == activity)
    }

    fn asks(&self) -> InboxItem {
        wait_for("a question", || {
            let items: Vec<InboxItem> = self.server.get("/api/inbox").ok(200);
            items.into_iter().find(|item| item.reason == InboxReason::Asking)
        })
    }

    fn answer(&self, item: &InboxItem, answer: &Answer) -> super::Answer {
        let body = serde_json::to_value(answer).unwrap();
        self.server.post(&format!("/api/inbox/{}/answer", item.id), body)
    }

    fn decisions(&self) -> Vec<String> {
        let decisions = fs::read_to_string(self.house.path().join("decisions")).unwrap_or_default();
        decisions.lines().map(str::to_owned).collect()
    }

    /// The decision that the agent was given for a question.
    fn decision(&self, question: &str) -> serde_json::Value {
        let line =
            wait_for("a decision", || self.decisions().into_iter().find(|line| line.starts_with(question)));
        let text = line.strip_prefix(question).unwrap().trim();
        let answer: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{line}"));
        answer["hookSpecificOutput"]["decision"].clone()
    }
}

#[test]
fn an_agent_that_shows_nothing_is_known_by_its_hooks() {
    let desk = Desk::new();
    assert_eq!(desk.is(Activity::Unknown).activity, Activity::Unknown);
    desk.types("w");
    desk.is(Activity::Active);
    desk.types("d");
    let worker = desk.is(Activity::Idle);
    let message = worker.turn.and_then(|turn| turn.message).expect("its last words");
    assert_eq!(message.as_str(), "All done.");
    let said: api::Explanation = desk.server.get(&format!("/api/workers/{}/activity", desk.id())).ok(200);
    assert_eq!(said.source.as_deref(), Some("hook"));
    let dir = desk.house.home().worker(desk.id());
    assert_eq!(dir.conversation().expect("the hook tells it").id, "0f8e2c1a-5b7d-4c3e-9a1f-2b3c4d5e6f70");
    let left = fs::read_to_string(dir.path().join("hooks/events.jsonl")).unwrap();
    assert!(!left.contains("secret words"), "{left}");
}

#[test]
fn s18_s33_what_an_agent_is_given_is_private_and_no_secret_is_in_its_arguments() {
    let desk = Desk::new();
    let dir = desk.house.home().worker(desk.id());
    let arguments = fs::read_to_string(desk.house.path().join("arguments")).unwrap();
    assert_eq!(arguments.trim(), format!("--settings {}", dir.hook_settings().display()));
    desk.types("a date");
    desk.asks();
    for path in ["hook-settings.json", "hooks/events.jsonl"] {
        let mode = fs::metadata(dir.path().join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
    for entry in fs::read_dir(dir.path().join("hooks")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
    }
    assert_eq!(fs::metadata(dir.path().join("hooks")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_question_is_answered_through_its_hook() {
    let desk = Desk::new();
    for (command, answer, behavior) in [
        ("date", Answer::Yes, "allow"),
        ("ls", Answer::Always, "allow"),
        ("make all", Answer::No { words: None }, "deny"),
        ("rm x", Answer::No { words: Some("use make".into()) }, "deny"),
    ] {
        desk.types(&format!("a {command}"));
        let item = desk.asks();
        assert_eq!(item.words.as_deref(), Some(format!("approve Bash: {command}").as_str()));
        desk.answer(&item, &answer).empty(204);
        let decision = desk.decision(command);
        assert_eq!(decision["behavior"], behavior, "{decision}");
        match answer {
            Answer::Always => assert_eq!(decision["updatedPermissions"], json!([{"type": "addRules"}])),
            Answer::No { words: Some(words) } => assert_eq!(decision["message"], words),
            _ => {}
        }
        desk.answer(&item, &Answer::Yes).problem(ErrorCode::NotFound);
        desk.types("k");
        desk.is(Activity::Active);
    }
    desk.types("q");
    let item = desk.asks();
    assert_eq!(item.words.as_deref(), Some("Which database?"));
    desk.answer(&item, &Answer::Words { words: "neither".into() }).empty(204);
    let answers = desk.decision("q")["updatedInput"]["answers"].clone();
    assert_eq!(answers, json!({"Which database?": "neither"}));
    let audit: Vec<AuditEntry> = desk.server.get("/api/audit").ok(200);
    let details: Vec<&str> = audit.iter().filter_map(|entry| entry.detail.as_deref()).collect();
    assert!(details.contains(&"no, with words: approve Bash: rm x"), "{details:?}");
}

#[test]
fn of_many_answers_through_a_hook_one_is_given() {
    let desk = Desk::new();
    desk.types("a date");
    let item = desk.asks();
    let path = format!("/api/inbox/{}/answer", item.id);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || desk.server.post(&path, json!({"reply": "yes"})).status;
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|&&status| status == 204).count(), 1, "{statuses:?}");
    assert_eq!(desk.decision("date")["behavior"], "allow");
    assert_eq!(desk.decisions().len(), 1);
}

#[test]
fn an_answer_to_an_earlier_question_does_not_reach_a_later_one() {
    let desk = Desk::new();
    desk.types("a date");
    let first = desk.asks();
    // A person answers in the terminal, and the agent asks for something else.
    desk.types("k");
    desk.is(Activity::Active);
    desk.types("a rm -rf target");
    let second = wait_for("another question", || Some(desk.asks()).filter(|item| item.id != first.id));
    desk.answer(&first, &Answer::Yes).problem(ErrorCode::NotFound);
    desk.answer(&second, &Answer::No { words: None }).empty(204);
    assert_eq!(desk.decision("rm -rf target")["behavior"], "deny");
    assert!(!desk.decisions().iter().any(|line| line.starts_with("date {")), "{:?}", desk.decisions());
}

#[test]
fn a_hook_whose_question_was_answered_in_the_terminal_ends_with_the_turn() {
    let desk = Desk::new();
    let dir = desk.house.home().worker(desk.id());
    let waiting = || {
        let (events, _) = dir.hook_events(home::HookCursor::default());
        let asked = events.into_iter().filter_map(|event| event.answer);
        asked.filter(|id| dir.hook_waits(id)).count()
    };
    desk.types("a date");
    desk.asks();
    assert_eq!(waiting(), 1);
    // A person answers in the terminal, and the agent asks again before its turn ends.
    desk.types("k");
    desk.is(Activity::Active);
    desk.types("a ls");
    wait_for("both", || (waiting() == 2).then_some(()));
    desk.types("d");
    wait_for("none", || (waiting() == 0).then_some(()));
    assert_eq!(desk.decision("date"), serde_json::Value::Null);
}

#[test]
fn p1_a_question_of_a_hook_outlives_a_killed_server_and_is_answered_then() {
    let desk = Desk::new();
    desk.types("a date");
    let item = desk.asks();
    let Desk { server, house, worker } = desk;
    server.kill();
    let desk = Desk { server: Server::start(&house), house, worker };
    desk.is(Activity::Asking);
    assert_eq!(desk.asks(), item);
    desk.answer(&item, &Answer::Yes).empty(204);
    assert_eq!(desk.decision("date")["behavior"], "allow");
}

#[test]
fn without_a_server_hooks_return_at_once_and_the_next_server_reads_what_they_left() {
    let desk = Desk::new();
    let Desk { server, house, worker } = desk;
    server.kill();
    let called = house.called(worker.id.as_str());
    called.send(b"w\r");
    let shows = |text: &str| {
        wait_for(text, || house.output(["screen", worker.id.as_str()]).contains(text).then_some(()));
    };
    shows("works");
    let server = Server::start(&house);
    server.wait_for_worker(worker.id, "work", |worker| worker.activity == Activity::Active);
    // One that is stopped does not delay them either.
    signal(server.pid(), Signal::STOP);
    called.send(b"d\r");
    shows("rests");
    signal(server.pid(), Signal::CONT);
    called.send(b"k\r");
    server.wait_for_worker(worker.id, "work again", |worker| worker.activity == Activity::Active);
}

#[test]
fn a_definition_can_do_without_hooks() {
    let desk = Desk::of("events = []");
    let arguments = fs::read_to_string(desk.house.path().join("arguments")).unwrap();
    assert_eq!(arguments.trim(), "");
    assert!(!desk.house.home().worker(desk.id()).hook_settings().exists());
}

#[test]
fn a_hook_takes_any_input_and_never_fails() {
    let house = House::new();
    let worker = house.script("read x");
    let dir = worker.dir.path().to_owned();
    let host = std::path::Path::new(ABIDE).with_file_name("abide-host");
    for input in [&b""[..], b"{", b"[]", b"\xff\xfe", b"null", &[b'['; 100_000]] {
        let mut child = Command::new(&host)
            .arg("hook")
            .arg(&dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
    let nowhere =
        Command::new(&host).args(["hook", "/no/such/k7f2m9qx"]).stdin(Stdio::null()).output().unwrap();
    assert!(nowhere.status.success());
}
