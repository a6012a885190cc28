//! What made-up screens are taken for.

use std::time::Duration;

use agents::{Agents, AskedFor, Detector, Heard, Mark, ScreenRows, State, TurnEnd};
use model::Activity::{self, Active, Asking, Idle, Unknown};
use protocol::{StatusMessage, StatusState};

const LINE: &str = "────────────────────────────────────────────────────────────";

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A screen, with the cursor where `‸` stands, or in the last row.
fn screen(text: &str) -> ScreenRows {
    let text = text.replace("LINE", LINE);
    let rows: Vec<&str> = text.lines().collect();
    let marked = rows.iter().position(|row| row.contains('‸'));
    let row = marked.unwrap_or(rows.len().saturating_sub(1));
    let col = rows.get(row).map_or(0, |row| row.chars().take_while(|c| *c != '‸').count());
    ScreenRows {
        rows: rows.iter().map(|row| row.replace('‸', "")).collect(),
        cursor: (row, col),
        cursor_is_shown: marked.is_some(),
    }
}

fn detector(agent: &str) -> Detector {
    let agents = Agents::builtin();
    Detector::new(agents.get(&agent.parse().expect("an id")).expect("an agent"), None)
}

/// What an agent is doing that has shown this screen for a while.
fn seen(agent: &str, text: &str) -> State {
    let mut detector = detector(agent);
    detector.printed(seconds(1));
    detector.see(seconds(2), &screen(text));
    detector.tick(seconds(9));
    detector.state().clone()
}

fn check(agent: &str, text: &str, activity: Activity) {
    assert_eq!(seen(agent, text).activity, activity, "{agent}:\n{text}");
}

const PERMISSION: &str = "LINE\n Bash command\n\n   rm -rf target\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend";

#[test]
fn a_permission_is_known_with_its_words_and_choices() {
    let state = seen("claude", PERMISSION);
    let question = state.question.expect("a question");
    assert_eq!((state.activity, question.kind), (Asking, Some(AskedFor::Permission)));
    assert_eq!(question.text.as_deref(), Some("Do you want to proceed?"));
    assert_eq!(question.detail, ["Bash command", "rm -rf target"]);
    assert_eq!(
        (question.choices.as_slice(), question.selected),
        (["Yes".to_owned(), "No".to_owned()].as_slice(), Some(0))
    );
}

#[test]
fn a_text_that_shows_a_dialog_above_the_prompt_is_the_conversation() {
    for agent in ["claude", "generic"] {
        check(
            agent,
            &format!("● The dialog looks like this:\n{PERMISSION}\n\nLINE\n❯ ‸\nLINE\n  ? for shortcuts"),
            Idle,
        );
        check(
            agent,
            "● It prints: Do you want to proceed? (y/n)\n\nLINE\n❯ ‸\nLINE\n  ? for shortcuts",
            Idle,
        );
        check(agent, "● Press esc to interrupt it.\n\nLINE\n❯ ‸\nLINE\n  ? for shortcuts", Idle);
        check(
            agent,
            "● 1. Allow once\n  2. Reject\n  Enter to select · Esc to cancel\n\nLINE\n❯ ‸\nLINE\n",
            Idle,
        );
    }
    check(
        "gemini",
        "✦ Allow execution of it?\n  ● 1. Allow once\n    2. No (esc)\n\nLINE\n > ‸\nLINE\n ~/demo",
        Idle,
    );
}

#[test]
fn a_file_with_a_dialog_in_it_is_no_question_of_the_shell() {
    check("generic", &format!("$ cat docs.md\n{PERMISSION}\n$ ‸"), Unknown);
    check("generic", "$ grep y/n docs\nOverwrite? (y/n)\n$ ‸", Unknown);
    check("generic", "log: password: changed\n‸", Unknown);
}

#[test]
fn programs_that_nobody_described_are_seen_asking() {
    for (text, kind) in [
        ("Overwrite main.rs? [y/N] ‸", AskedFor::Permission),
        ("Run this command? (Y)es/(N)o [Yes]: ‸", AskedFor::Permission),
        ("Would you like to log in? [(y)es, (n)o]: ‸", AskedFor::Auth),
        ("Enter your Anthropic API key: ‸", AskedFor::ApiKey),
        ("[sudo] password for ada: ‸", AskedFor::Auth),
        (
            "┌────────────────────┐\n│ Run `ls`?          │\n│ ▸ 1) Approve       │\n│   2) Deny          │\n└────────────────────┘",
            AskedFor::Permission,
        ),
        (
            "Do you trust the authors of this folder?\n\n> No, exit\n  Yes, go on\n\nenter to confirm · esc to exit",
            AskedFor::Trust,
        ),
        ("△ Approve the edit?\n  Allow   Always   Deny      tab select  enter confirm", AskedFor::Permission),
        (
            "Session limit reached. What now?\n❯ 1. Wait\n  2. Upgrade\n↑↓ move · enter select",
            AskedFor::Limit,
        ),
    ] {
        let state = seen("generic", text);
        assert_eq!(state.activity, Asking, "{text}");
        let found = state.question.and_then(|question| question.kind);
        assert_eq!(found, Some(kind), "{text}");
    }
}

#[test]
fn a_menu_that_the_person_opened_is_no_question() {
    check(
        "claude",
        "LINE\n Select model\n\n ❯ 1. Default\n   2. Opus\n\n Enter to confirm · Esc to exit",
        Unknown,
    );
    check("generic", "LINE\n Theme\n\n ❯ 1. Dark\n   2. Light\n\n Enter to select · Esc to cancel", Unknown);
    check("claude", "LINE\n❯ /ex‸\nLINE\n  ❯ /exit    Leave\n    /export  Save", Idle);
}

#[test]
fn work_is_seen_around_the_prompt() {
    check("claude", "● Bash(ls)\n\n✻ Sprouting…\n\nLINE\n❯ ‸\nLINE\n  esc to interrupt", Active);
    check("generic", "⠹ Reading files... (3s)\n\nLINE\n> ‸\nLINE\n", Active);
    check("generic", "✺ Brewing… (12s · esc to interrupt)\n\nLINE\n❯ ‸\nLINE\n", Active);
    check("codex", "• Working (3s • esc to interrupt)\n\n› ‸\n\n  model · ~/demo", Active);
    check("claude", "                          ◐ medium · /effort\nLINE\n❯ ‸\nLINE\n  ? for shortcuts", Idle);
}

#[test]
fn a_dialog_at_the_door_is_asking_whatever_other_sources_say() {
    let limit = "│ Usage limit reached for this model.\n│\n│ ● 1. Keep trying\n│   2. Stop\n";
    let mut gemini = detector("gemini");
    gemini.hear(seconds(1), &Heard::Title("✦  Working… (demo)   ".into()));
    gemini.printed(seconds(1));
    gemini.see(seconds(2), &screen(limit));
    assert_eq!(gemini.state().activity, Asking);
    assert_eq!(gemini.state().question.as_ref().and_then(|question| question.kind), Some(AskedFor::Limit));
    assert_eq!(gemini.overruled().len(), 1, "{:?}", gemini.overruled());

    let mut codex = detector("codex");
    status(&mut codex, 1, StatusState::Idle, None);
    codex.printed(seconds(1));
    codex.see(seconds(2), &screen("🔒 This conversation is open in another app\n\n  r retry   f fork"));
    assert_eq!(codex.state().activity, Asking);
    codex.printed(seconds(3));
    codex.see(seconds(4), &screen("› ‸\n\n  model · ~/demo"));
    assert_eq!(codex.state().activity, Idle);
}

#[test]
fn a_program_that_says_that_it_works_is_believed_more_than_its_screen() {
    let mut claude = detector("claude");
    status(&mut claude, 1, StatusState::Working, None);
    claude.printed(seconds(1));
    claude.see(seconds(2), &screen(PERMISSION));
    assert_eq!(claude.state().activity, Active);
}

fn status(detector: &mut Detector, at: u64, state: StatusState, message: Option<&str>) {
    let status = StatusMessage { state, message: message.map(str::to_owned) };
    detector.hear(seconds(at), &Heard::Status { id: String::new(), status });
}

#[test]
fn an_error_keeps_its_words_and_ends_the_turn() {
    let mut claude = detector("claude");
    status(&mut claude, 1, StatusState::Working, None);
    status(&mut claude, 2, StatusState::Error, Some("API Error: 429 rate limit\u{1b}[2J"));
    assert_eq!(claude.state().activity, Idle);
    assert_eq!(claude.state().error.as_deref(), Some("API Error: 429 rate limit\u{fffd}[2J"));
    let turn = claude.take_turn().expect("a turn");
    assert_eq!((turn.how, turn.began, turn.ended), (TurnEnd::Limit, seconds(1), seconds(2)));
    status(&mut claude, 3, StatusState::Working, None);
    status(&mut claude, 4, StatusState::Done, None);
    assert_eq!(claude.take_turn().map(|turn| turn.how), Some(TurnEnd::Finished));
    assert_eq!(claude.state().error, None);
}

#[test]
fn a_hook_that_missed_an_interruption_is_corrected_by_the_screen() {
    let mut claude = detector("claude");
    let prompt = serde_json::json!({ "hook_event_name": "UserPromptSubmit" });
    claude.hook(seconds(1), &prompt);
    assert_eq!(claude.state().activity, Active);
    claude.printed(seconds(2));
    claude.see(
        seconds(3),
        &screen("● 1. Step\n  ⎿  Interrupted · What now?\n\nLINE\n❯ ‸\nLINE\n  ? for shortcuts"),
    );
    assert_eq!(claude.state().activity, Active, "it may be late");
    claude.tick(seconds(5));
    assert_eq!(claude.state().activity, Idle);
    assert_eq!(claude.take_turn().map(|turn| turn.how), Some(TurnEnd::Interrupted));
}

#[test]
fn a_shell_is_known_by_its_marks_and_an_agent_that_marks_its_messages_is_not() {
    for (agent, activity) in [("shell", Active), ("pi", Unknown)] {
        let mut detector = detector(agent);
        detector.hear(seconds(1), &Heard::Mark(Mark::Runs));
        assert_eq!(detector.state().activity, activity, "{agent}");
    }
}

#[test]
fn a_half_drawn_screen_is_not_believed() {
    let mut claude = detector("claude");
    claude.printed(seconds(1));
    claude.see(seconds(2), &screen("LINE\n❯ ‸\nLINE\n  ? for shortcuts"));
    claude.printed(seconds(3));
    claude.see(seconds(3), &screen(PERMISSION));
    assert_eq!(claude.state().activity, Idle, "it was seen once, and the program was printing");
    let again = seconds(3) + Duration::from_millis(100);
    assert!(claude.due().is_some_and(|due| due <= again));
    claude.see(again, &screen(PERMISSION));
    assert_eq!(claude.state().activity, Asking);
    assert_eq!(claude.due(), None, "nothing is printed, and nothing is looked at");
}
