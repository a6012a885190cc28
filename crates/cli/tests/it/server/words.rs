//! The commands about what agents do: `prompt`, `explain`, `status`, `wait --asking|--turn`, `inbox --watch`.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use api::{Explanation, Prompt, PromptState};
use model::Activity;
use serde_json::Value;

use super::prompts::{ASK, Desk, IDLE, WORK};
use crate::house::{House, wait_for};

/// A command that prints lines while it runs.
struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let lines = BufReader::new(child.stdout.take().expect("its output"));
        Running { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("its output");
        line.trim_end().to_owned()
    }

    fn json(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn code(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn name(desk: &Desk) -> String {
    desk.id.to_string()
}

#[test]
fn a_prompt_is_sent_and_followed_to_its_turn() {
    let desk = Desk::new();
    let name = name(&desk);
    let printed = desk.house.output(["prompt", &name, "fix the door", "--wait"]);
    let steps: Vec<&str> = printed.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert_eq!(steps.last(), Some(&"started"), "{printed}");
    assert_eq!(desk.taken(), ["fix the door"]);
    let path = desk.house.path().join("prompt.txt");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let file = path.to_str().unwrap();
    let json = desk.house.output(["prompt", &name, "--when-idle", "--file", file, "--json", "--key", "k"]);
    let sent: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&sent["name"], &sent["prompt"]["state"]["kind"]), (&name.as_str().into(), &"queued".into()));
    let again = desk.house.output(["prompt", &name, "--when-idle", "--file", file, "--json", "--key", "k"]);
    assert_eq!(sent["prompt"]["id"], serde_json::from_str::<Value>(&again).unwrap()["prompt"]["id"]);
    desk.press(IDLE);
    wait_for("the second prompt", || (desk.taken().len() == 2).then_some(()));
    assert_eq!(desk.taken()[1], "one|two");
}

#[test]
fn a_queue_is_shown_and_emptied_by_command() {
    let desk = Desk::new();
    let name = name(&desk);
    assert_eq!(desk.house.output(["prompt", &name, "--queue"]), "");
    desk.do_and_wait(ASK, Activity::Asking);
    let printed = desk.house.output(["prompt", &name, "fix the door"]);
    assert!(printed.contains("queued: the agent asks something"), "{printed}");
    desk.house.output(["prompt", &name, "and the window"]);
    let late = desk.house.refused(&["prompt", &name, "late", "--wait", "--timeout", "0.2"], 1);
    assert!(late.contains("--queue"), "{late}");
    let json = desk.house.output(["prompt", &name, "--queue", "--json"]);
    let prompts: Vec<Prompt> = serde_json::from_str(&json).unwrap();
    assert_eq!(prompts.len(), 3);
    let first = prompts[0].id.to_string();
    desk.house.output(["prompt", &name, "--remove", &first]);
    let shown = desk.house.output(["prompt", &name, "--queue"]);
    assert!(shown.contains("cancelled: removed by") && shown.contains("and the window"), "{shown}");
    let refused = desk.house.refused(&["prompt", &name, "--remove", &first], 1);
    assert!(refused.contains("cannot be removed"), "{refused}");
    desk.house.output(["prompt", &name, "--empty"]);
    let is_settled = |state: PromptState| matches!(state, PromptState::Cancelled { .. });
    assert!(desk.states().into_iter().all(is_settled));
}

#[test]
fn a_prompt_that_cannot_be_sent_says_what_to_do() {
    let desk = Desk::new();
    let name = name(&desk);
    let refused = desk.house.refused(&["prompt", &name], 2);
    assert!(refused.contains("no text to send") && refused.contains("--file"), "{refused}");
    let unknown = desk.house.refused(&["prompt", "nobody", "fix it"], 125);
    assert!(unknown.contains("abide ls"), "{unknown}");
    let empty = desk.house.refused(&["prompt", &name, " "], 1);
    assert!(empty.contains("the prompt is empty"), "{empty}");
    let two = desk.house.refused(&["prompt", &name, &name, "--queue"], 2);
    assert!(two.contains("name one worker"), "{two}");
}

#[test]
fn it_is_explained_how_the_activity_is_known() {
    let desk = Desk::new();
    let name = name(&desk);
    desk.do_and_wait(ASK, Activity::Asking);
    let shown = desk.house.output(["explain", &name]);
    for words in ["asking", "screen", "taker", "Do you want to proceed?", "1. Yes"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let json = desk.house.output(["explain", &name, "--json"]);
    let explanation: Explanation = serde_json::from_str(&json).unwrap();
    assert_eq!((explanation.activity, explanation.agent_id.as_str()), (Activity::Asking, "taker"));
}

#[test]
fn a_question_and_the_end_of_a_turn_are_waited_for() {
    let desk = Desk::new();
    let name = name(&desk);
    let late = desk.house.refused(&["wait", &name, "--asking", "--timeout", "0.2"], 1);
    assert!(late.contains("asked nothing"), "{late}");
    let mut asking = Running::start(desk.house.command(["wait", &name, "--asking"]));
    desk.do_and_wait(ASK, Activity::Asking);
    assert_eq!(asking.line(), "Do you want to proceed?");
    assert_eq!(asking.code(), Some(0));
    desk.do_and_wait("1", Activity::Idle);
    let mut turn = Running::start(desk.house.command(["wait", &name, "--turn"]));
    // Turns that end before it listens do not count.
    let status = wait_for("a turn that it saw", || {
        desk.do_and_wait(WORK, Activity::Active);
        desk.do_and_wait(IDLE, Activity::Idle);
        turn.child.try_wait().expect("it is ours")
    });
    assert!(status.success(), "{status}");
}

#[test]
fn a_script_says_what_it_does() {
    let house = House::new();
    let said = |arguments: &[&str]| house.output([&["status"], arguments].concat());
    assert_eq!(said(&["working"]), "\u{1b}]7501;state=working\u{1b}\\");
    assert_eq!(said(&["idle", "--msg", "ab"]), "\u{1b}]7501;state=idle:msg=YWI=\u{1b}\\");
    let asks = said(&["asking", "--kind", "permission"]);
    assert_eq!(asks, "\u{1b}]7501;state=blocked:kind=permission\u{1b}\\");
    let refused = house.refused(&["status", "idle", "--msg", "a\nb"], 2);
    assert!(refused.contains("one line"), "{refused}");
    assert_eq!(house.run(["status", "dreaming"]).status.code(), Some(2));
}

#[test]
fn the_inbox_is_watched() {
    let desk = Desk::new();
    let mut lines = Running::start(desk.house.command(["inbox", "--watch", "--json"]));
    desk.do_and_wait(ASK, Activity::Asking);
    let waits = lines.json();
    assert_eq!((&waits["event"], &waits["item"]["reason"]), (&"waits".into(), &"asking".into()));
    desk.press("1");
    let left = lines.json();
    assert_eq!((&left["event"], &left["itemId"]), (&"left".into(), &waits["item"]["id"]));
    desk.do_and_wait(ASK, Activity::Asking);
    let mut people = Running::start(desk.house.command(["inbox", "--watch"]));
    let line = people.line();
    assert!(line.contains("asks: Do you want to proceed?"), "{line}");
    desk.press("1");
    assert!(people.line().contains("waits no longer"));
}

#[test]
fn an_agent_that_neither_works_nor_asks_for_long_is_stuck() {
    let desk = Desk::with(House::new(), &[("ABIDE_STUCK_AFTER", "1s")]);
    let inbox = || -> Vec<api::InboxItem> { desk.server.get("/api/inbox").ok(200) };
    desk.do_and_wait(WORK, Activity::Active);
    let stuck = wait_for("an entry", || inbox().pop());
    assert_eq!((stuck.worker_id, stuck.reason), (desk.id, api::InboxReason::Stuck));
    assert!(desk.house.output(["inbox"]).contains("stuck"));
    desk.press(WORK);
    wait_for("its next output", || inbox().iter().all(|item| item.id != stuck.id).then_some(()));
    let again = wait_for("another entry", || inbox().pop());
    assert_eq!(again.reason, api::InboxReason::Stuck);
    desk.do_and_wait(IDLE, Activity::Idle);
    wait_for("no entry that says so", || {
        inbox().iter().all(|item| item.reason != api::InboxReason::Stuck).then_some(())
    });
}
