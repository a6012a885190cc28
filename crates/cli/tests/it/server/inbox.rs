//! The inbox: what waits for a person, and answers to it.

use std::fs;

use api::{Answer, AuditEntry, DashboardEvent, DashboardMessage, ErrorCode, InboxItem, InboxReason, Worker};
use model::WorkerId;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, Socket};
use crate::house::{House, signal, wait_for};

/// A stand-in for an agent. It takes one key at a time in its own place and says nothing of itself.
///
/// - `a` asks for a permission; `t` asks whether to trust a directory, with the refusing choice selected; `y` asks on a
///   line. `1`, `2`, and Enter on the selected choice answer.
/// - `w` works until `.`. Then it is idle.
/// - `x` exits with 3, `q` with 0.
///
/// It writes each answer to the file `answers`.
const ASKER: &str = r#"
stty raw -echo
line='────────────────────────────────────────'
key() { dd bs=1 count=1 2>/dev/null; }
idle() { printf '\033[2J\033[H● Done.\r\n\r\n%s\r\n❯ ' "$line"; printf '\0337\r\n%s\r\n  ? for help\0338' "$line"; }
work() { printf '\033[2J\033[H✻ Pondering… (3s · esc to interrupt)\r\n\r\n%s\r\n❯ \r\n%s' "$line" "$line"; }
dialog() {
    printf '\033[2J\033[H%s\r\n %s\r\n\r\n %s\r\n' "$line" "$1" "$2"
    if [ "$at" = 1 ]; then printf ' ❯ 1. %s\r\n   2. %s\r\n' "$3" "$4"; else printf '   1. %s\r\n ❯ 2. %s\r\n' "$3" "$4"; fi
    printf '\r\n Enter to select · Esc to cancel'
}
ask() {
    at=1
    while :; do
        dialog "$@"
        case "$(key)" in
            1) say "$1: $3"; return;;
            2) say "$1: $4"; return;;
            "$(printf '\r')") if [ "$at" = 1 ]; then say "$1: $3"; else say "$1: $4"; fi; return;;
            "$(printf '\033')") case "$(key)$(key)" in '[B') at=2;; '[A') at=1;; esac;;
        esac
    done
}
say() { echo "$1" >>answers; }
idle
while :; do
    case "$(key)" in
        a) ask 'rm -rf target' 'Do you want to proceed?' 'Yes' 'No'; idle;;
        b) ask 'rm -rf target' 'Do you want to proceed?' 'Yes' 'No'; ask 'rm -rf target' 'Do you want to proceed?' 'Yes' 'No'; idle;;
        t) ask '/somewhere' 'Do you trust the files in this folder?' 'No, exit' 'Yes, I trust this folder'; idle;;
        y) printf '\033[2J\033[HOverwrite? (y/n) '; stty sane; read -r answer; stty raw -echo; say "overwrite: $answer"; idle;;
        w) work; while [ "$(key)" != . ]; do :; done; idle;;
        x) exit 3;;
        q) exit 0;;
    esac
done
"#;

/// A server, and an asker in a session.
pub(super) struct Desk {
    // In this order: the server goes before its house.
    pub(super) server: Server,
    pub(super) house: House,
    pub(super) worker: Worker,
}

impl Desk {
    fn new() -> Desk {
        Desk::in_house(House::new())
    }

    pub(super) fn in_house(house: House) -> Desk {
        let script = house.path().join("asker.sh");
        fs::write(&script, ASKER).unwrap();
        let definition = format!(
            "[[agent]]\nid = \"asker\"\nname = \"Asker\"\ncommand = [\"sh\", \"{}\"]\nwork-is-shown = true\n",
            script.display()
        );
        fs::write(house.path().join("agents.toml"), definition).unwrap();
        let server = Server::start(&house);
        let session = json!({"type": "quick", "locationPath": house.path(), "agentId": "asker"});
        let session: api::SessionReply = server.post("/api/sessions", session).ok(201);
        let worker = session.session.workers[0].clone();
        let desk = Desk { server, house, worker };
        desk.wait_until(model::Activity::Idle);
        desk
    }

    pub(super) fn id(&self) -> WorkerId {
        self.worker.id
    }

    pub(super) fn press(&self, keys: &str) {
        self.house.called(self.id().as_str()).send(keys.as_bytes());
    }

    pub(super) fn wait_until(&self, activity: model::Activity) {
        self.server.wait_for_worker(self.id(), activity.as_str(), |worker| worker.activity == activity);
    }

    pub(super) fn inbox(&self) -> Vec<InboxItem> {
        self.server.get("/api/inbox").ok(200)
    }

    /// The only entry, when it is there.
    pub(super) fn wait_for(&self, reason: InboxReason) -> InboxItem {
        wait_for(reason.as_str(), || {
            let items = self.inbox();
            assert!(items.len() < 2, "{items:?}");
            items.into_iter().find(|item| item.reason == reason)
        })
    }

    pub(super) fn wait_for_nothing(&self) {
        wait_for("an empty inbox", || self.inbox().is_empty().then_some(()));
    }

    pub(super) fn asked(&self, key: &str) -> InboxItem {
        self.press(key);
        self.wait_for(InboxReason::Asking)
    }

    fn answer(&self, item: &InboxItem, answer: &Answer) -> super::Answer {
        let body = serde_json::to_value(answer).unwrap();
        self.server.post(&format!("/api/inbox/{}/answer", item.id), body)
    }

    /// What the asker was answered.
    fn answers(&self) -> Vec<String> {
        let answers = fs::read_to_string(self.house.path().join("answers")).unwrap_or_default();
        answers.lines().map(str::to_owned).collect()
    }
}

#[test]
fn the_api_explains_how_it_is_known_what_a_worker_does() {
    let desk = Desk::new();
    let explain =
        || -> api::Explanation { desk.server.get(&format!("/api/workers/{}/activity", desk.id())).ok(200) };
    let said = explain();
    assert_eq!((said.agent_id.as_str(), said.known_by.as_str()), ("asker", "agent"));
    assert_eq!((said.activity, said.source.as_deref()), (model::Activity::Idle, Some("screen")));
    assert!(said.sees_screen && said.since.is_some() && said.overruled.is_empty(), "{said:?}");
    desk.asked("a");
    assert_eq!(
        explain().question.and_then(|question| question.text).as_deref(),
        Some("Do you want to proceed?")
    );
    desk.press("1q");
    wait_for("the end", || {
        (desk.server.get(&format!("/api/workers/{}/activity", desk.id())).status == 409).then_some(())
    });
}

#[test]
fn a_question_is_in_the_inbox_until_it_is_answered() {
    let desk = Desk::new();
    assert_eq!(desk.inbox(), []);
    let item = desk.asked("a");
    assert_eq!(item.worker_id, desk.id());
    assert_eq!(item.words.as_deref(), Some("Do you want to proceed?"));
    assert!(!item.read);
    let worker: Worker = desk.server.get(&format!("/api/workers/{}", desk.id())).ok(200);
    let question = worker.question.expect("a question");
    assert_eq!(item.question_id.as_ref(), Some(&question.id));
    assert_eq!(question.choices.iter().map(model::ShownText::as_str).collect::<Vec<_>>(), ["Yes", "No"]);
    assert_eq!(question.detail.last().map(model::ShownText::as_str), Some("rm -rf target"));
    desk.answer(&item, &Answer::Yes).empty(204);
    assert_eq!(desk.answers(), ["rm -rf target: Yes"]);
    desk.wait_for_nothing();
    let audit: Vec<AuditEntry> = desk.server.get("/api/audit").ok(200);
    let entry = audit.iter().find(|entry| entry.action == "worker.answer").expect("it is on record");
    assert_eq!(entry.detail.as_deref(), Some("yes: Do you want to proceed?"));
}

#[test]
fn a_person_who_answers_in_the_terminal_empties_the_inbox_too() {
    let desk = Desk::new();
    let item = desk.asked("a");
    desk.press("2");
    desk.wait_for_nothing();
    let problem = desk.answer(&item, &Answer::Yes).problem(ErrorCode::NotFound);
    assert!(problem.error.hint.unwrap().contains("nothing was typed"));
    assert_eq!(desk.answers(), ["rm -rf target: No"]);
}

#[test]
fn a_selection_is_moved_and_checked_before_enter() {
    let desk = Desk::new();
    let item = desk.asked("t");
    desk.answer(&item, &Answer::Yes).empty(204);
    assert_eq!(desk.answers(), ["/somewhere: Yes, I trust this folder"]);
    let item = desk.asked("t");
    desk.answer(&item, &Answer::Choose { choice: 1 }).empty(204);
    assert_eq!(desk.answers()[1], "/somewhere: No, exit");
}

#[test]
fn a_question_on_a_line_is_answered_with_words() {
    let desk = Desk::new();
    let item = desk.asked("y");
    desk.answer(&item, &Answer::Words { words: "maybe".into() }).empty(204);
    wait_for("the answer", || (desk.answers() == ["overwrite: maybe"]).then_some(()));
    let item = desk.asked("y");
    desk.answer(&item, &Answer::No { words: None }).empty(204);
    wait_for("the answer", || (desk.answers().len() == 2).then_some(()));
    assert_eq!(desk.answers()[1], "overwrite: n");
}

#[test]
fn what_cannot_be_answered_like_that_gets_no_key() {
    let desk = Desk::new();
    let item = desk.asked("a");
    for answer in [
        Answer::Always,
        Answer::Choose { choice: 3 },
        Answer::Choose { choice: 0 },
        Answer::Words { words: "use make".into() },
    ] {
        desk.answer(&item, &answer).problem(ErrorCode::CannotAnswer);
    }
    desk.answer(&item, &Answer::Words { words: "a\u{1b}b".into() }).problem(ErrorCode::BadText);
    assert_eq!(desk.answers(), [""; 0]);
    assert_eq!(desk.inbox(), [item]);
}

#[test]
fn of_many_answers_at_once_one_is_given() {
    let desk = Desk::new();
    let item = desk.asked("a");
    let path = format!("/api/inbox/{}/answer", item.id);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = || desk.server.post(&path, json!({"reply": "yes"})).status;
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|&&status| status == 204).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [204, 404, 409].contains(status)), "{statuses:?}");
    assert_eq!(desk.answers(), ["rm -rf target: Yes"]);
}

#[test]
fn the_same_question_asked_again_at_once_is_another_entry() {
    let desk = Desk::new();
    let first = desk.asked("b");
    desk.answer(&first, &Answer::Yes).empty(204);
    let second = wait_for("another entry", || desk.inbox().into_iter().find(|item| item.id != first.id));
    desk.answer(&first, &Answer::Yes).problem(ErrorCode::NotFound);
    assert_eq!(desk.answers().len(), 1);
    desk.answer(&second, &Answer::No { words: None }).empty(204);
    assert_eq!(desk.answers(), ["rm -rf target: Yes", "rm -rf target: No"]);
    desk.wait_for_nothing();
}

#[test]
fn a_finished_turn_is_news_until_it_is_read_or_the_agent_works_again() {
    let desk = Desk::new();
    let turn = || {
        desk.press("w");
        desk.wait_until(model::Activity::Active);
        desk.press(".");
        desk.wait_for(InboxReason::Finished)
    };
    let item = turn();
    desk.server.post(&format!("/api/inbox/{}/read", item.id), json!({})).empty(204);
    assert_eq!(desk.inbox(), []);
    let again = turn();
    assert_ne!(again.id, item.id);
    desk.press("w");
    desk.wait_for_nothing();
}

#[test]
fn a_question_that_is_read_stays_and_one_that_is_snoozed_says_until_when() {
    let desk = Desk::new();
    let item = desk.asked("a");
    desk.server.post(&format!("/api/inbox/{}/read", item.id), json!({})).empty(204);
    let until = "2030-01-01T00:00:00Z";
    let snoozed: InboxItem =
        desk.server.post(&format!("/api/inbox/{}/snooze", item.id), json!({ "until": until })).ok(200);
    assert_eq!((snoozed.read, snoozed.snoozed_until), (true, Some(until.parse().unwrap())));
    assert_eq!(desk.inbox(), [snoozed]);
    let handle = desk.worker.id.to_string();
    assert_eq!(desk.house.output(["inbox"]), "");
    assert!(desk.house.output(["inbox", "--all"]).contains("Do you want to proceed?"));
    desk.house.output(["inbox", "snooze", &handle, "0"]);
    assert!(desk.house.output(["inbox"]).contains("asks"));
}

#[test]
fn p1_a_question_outlives_a_killed_server_as_the_same_entry() {
    let Desk { server, house, worker } = Desk::new();
    let desk = Desk { server, house, worker };
    let item = desk.asked("a");
    let Desk { server, house, worker } = desk;
    server.kill();
    let desk = Desk { server: Server::start(&house), house, worker };
    assert_eq!(desk.inbox(), std::slice::from_ref(&item), "before anything was heard");
    desk.wait_until(model::Activity::Asking);
    assert_eq!(desk.inbox(), std::slice::from_ref(&item));
    desk.answer(&item, &Answer::No { words: None }).empty(204);
    assert_eq!(desk.answers(), ["rm -rf target: No"]);
}

#[test]
fn p1_a_question_that_was_answered_while_no_server_ran_is_not_in_the_inbox() {
    let desk = Desk::new();
    desk.asked("a");
    let Desk { server, house, worker } = desk;
    server.kill();
    house.called(worker.id.as_str()).send(b"1");
    wait_for("the answer", || house.path().join("answers").exists().then_some(()));
    let desk = Desk { server: Server::start(&house), house, worker };
    desk.wait_for_nothing();
}

#[test]
fn an_agent_that_ends_by_itself_is_news_and_one_that_was_ended_is_not() {
    let desk = Desk::new();
    desk.press("x");
    let item = desk.wait_for(InboxReason::Failed);
    assert!(item.words.as_deref().is_some_and(|words| words.contains('3')), "{item:?}");
    let desk = Desk::new();
    desk.house.output(["kill", desk.id().as_str()]);
    desk.server.wait_for_worker(desk.id(), "its end", |worker| worker.ended_at.is_some());
    assert_eq!(desk.inbox(), []);
}

#[test]
fn a_lost_worker_is_in_the_inbox() {
    let desk = Desk::new();
    let host = desk.house.called(desk.id().as_str()).status().host_pid;
    signal(host, Signal::KILL);
    let item = desk.wait_for(InboxReason::Lost);
    assert!(item.words.as_deref().is_some_and(|words| words.contains("host was killed")), "{item:?}");
}

#[test]
fn the_dashboard_tells_of_the_inbox() {
    let desk = Desk::new();
    let mut socket = Socket::open(&desk.server, "/ws/dashboard");
    let state: DashboardMessage = serde_json::from_value(socket.json()).unwrap();
    assert!(matches!(state, DashboardMessage::State { inbox, .. } if inbox.is_empty()));
    let mut next = |wanted: fn(&DashboardEvent) -> bool| loop {
        let said: Value = socket.json();
        if let Ok(DashboardMessage::Event { event, .. }) = serde_json::from_value(said)
            && wanted(&event)
        {
            return event;
        }
    };
    let asked = desk.asked("a");
    let event = next(|event| matches!(event, DashboardEvent::InboxChanged { .. }));
    assert_eq!(event, DashboardEvent::InboxChanged { item: asked.clone() });
    desk.press("1");
    let event = next(|event| matches!(event, DashboardEvent::InboxRemoved { .. }));
    assert_eq!(event, DashboardEvent::InboxRemoved { item_id: asked.id });
}

#[test]
fn the_command_line_shows_the_inbox_and_answers() {
    let desk = Desk::new();
    let handle = desk.worker.id.to_string();
    assert_eq!(desk.house.output(["inbox"]), "");
    let refused = desk.house.refused(&["answer", &handle, "yes"], 1);
    assert!(refused.contains("does not wait for you"), "{refused}");
    desk.asked("a");
    let shown = desk.house.output(["inbox"]);
    let line = shown.lines().nth(1).unwrap_or_default();
    assert!(line.contains("asks") && line.contains("Do you want to proceed?"), "{shown}");
    let json: Vec<InboxItem> = serde_json::from_str(&desk.house.output(["inbox", "--json"])).unwrap();
    assert_eq!(json, desk.inbox());
    desk.house.output(["answer", &handle, "2"]);
    assert_eq!(desk.answers(), ["rm -rf target: No"]);
    desk.press("w");
    desk.wait_until(model::Activity::Active);
    desk.press(".");
    desk.wait_for(InboxReason::Finished);
    desk.house.output(["inbox", "read", "--all"]);
    assert_eq!(desk.inbox(), []);
}
