//! The keys that give a person's reply, for the questions of recordings and of screens.

use std::time::Duration;

use agents::{Agents, Change, Detector, Form, Question, Replay, Reply, ReplyStep, ScreenRows, Unanswerable};
use model::TermSize;

use crate::judge::judge;
use crate::recordings::recording;

fn press(keys: &[&str]) -> ReplyStep {
    ReplyStep::Press(keys.iter().map(|&key| key.to_owned()).collect())
}

/// The questions that an agent asked in a recording.
fn questions(agent: &str, name: &str) -> Vec<Question> {
    let agent = Agents::builtin().get(&agent.parse().unwrap()).unwrap().clone();
    let verdict = judge(&recording(name), &agent, &[], str::to_owned);
    let asked = |change: Change| change.state.question.filter(|question| !question.choices.is_empty());
    verdict.changes.into_iter().filter_map(asked).collect()
}

fn steps(agent: &str, question: &Question, reply: &Reply) -> Result<Vec<ReplyStep>, Unanswerable> {
    Agents::builtin().get(&agent.parse().unwrap()).unwrap().reply_steps(question, reply)
}

/// The question on a screen of an unknown program.
fn asked(screen: &str) -> Question {
    let rows: Vec<String> = screen.lines().map(str::to_owned).collect();
    let last = rows.len() - 1;
    let cursor = (last, rows[last].trim_end().chars().count() + 1);
    let screen = ScreenRows { rows, cursor, cursor_is_shown: true };
    let unknown = Agents::builtin().get(&"shell".parse().unwrap()).unwrap().clone();
    let mut detector = Detector::new(&unknown, None);
    for at in [1, 2] {
        detector.printed(Duration::from_secs(at));
        detector.see(Duration::from_secs(at) + Duration::from_millis(100), &screen);
    }
    detector.state().question.clone().expect("a question")
}

#[test]
fn a_permission_of_each_agent_is_answered_with_its_own_keys() {
    for (agent, name, yes, no) in [
        ("claude", "claude-2.1.325-program-status", "1", "Escape"),
        ("codex", "codex-0.160.0", "y", "Escape"),
        ("gemini", "gemini-0.61.0-xterm", "1", "Escape"),
        ("qwen", "qwen-0.24.4-xterm", "1", "Escape"),
    ] {
        let asked = questions(agent, name);
        let permission = asked
            .iter()
            .find(|question| question.kind == Some(agents::AskedFor::Permission))
            .unwrap_or_else(|| panic!("{name}: {asked:?}"));
        assert_eq!(steps(agent, permission, &Reply::Yes), Ok(vec![press(&[yes])]), "{permission:?}");
        assert_eq!(steps(agent, permission, &Reply::No(None)), Ok(vec![press(&[no])]), "{permission:?}");
    }
}

#[test]
fn a_number_is_not_pressed_when_that_choice_means_something_else() {
    let question = Question {
        kind: Some(agents::AskedFor::Permission),
        choices: vec!["No, exit".to_owned(), "Yes, continue".to_owned()],
        selected: Some(0),
        form: Some(Form::Numbered),
        ..Question::default()
    };
    assert_eq!(steps("claude", &question, &Reply::Yes), Ok(vec![press(&["2"])]));
}

#[test]
fn a_choice_is_reached_with_the_arrows_and_checked_before_enter() {
    let question =
        asked("Which database?\n\n❯ SQLite\n  PostgreSQL\n  MySQL\n\nEnter to select · Esc to cancel");
    let chosen = steps("shell", &question, &Reply::Choose(2));
    assert_eq!(
        chosen,
        Ok(vec![press(&["Down", "Down"]), ReplyStep::Selected(2), press(&["Enter"])]),
        "{question:?}"
    );
    assert_eq!(steps("shell", &question, &Reply::Choose(0)), Ok(vec![press(&["Enter"])]));
    assert_eq!(steps("shell", &question, &Reply::Choose(3)), Err(Unanswerable::NoSuchChoice(4)));
    assert_eq!(steps("shell", &question, &Reply::Yes), Err(Unanswerable::OtherKind("yes")));
    assert_eq!(steps("shell", &question, &Reply::Words("hm".into())), Err(Unanswerable::NoWords));
    let unseen = Question { selected: None, ..question };
    assert_eq!(steps("shell", &unseen, &Reply::Choose(0)), Err(Unanswerable::SelectionUnseen));
}

#[test]
fn a_question_on_the_last_line_is_answered_with_typed_words() {
    let question = asked("cp: overwrite 'a'? (y/n) ");
    let typed = |text: &str| Ok(vec![ReplyStep::Type(text.to_owned()), press(&["Enter"])]);
    assert_eq!(question.form, Some(Form::Line));
    assert_eq!(steps("shell", &question, &Reply::Yes), typed("y"));
    assert_eq!(steps("shell", &question, &Reply::No(None)), typed("n"));
    assert_eq!(steps("shell", &question, &Reply::Choose(1)), typed("n"));
    assert_eq!(steps("shell", &question, &Reply::Words("maybe".into())), typed("maybe"));
    assert_eq!(steps("shell", &question, &Reply::Always), Err(Unanswerable::OtherKind("always")));
}

#[test]
fn a_dialog_that_refuses_by_default_is_answered_by_its_words() {
    let question = asked(
        "Do you trust the files in this folder?\n\n❯ 1. No, exit\n  2. Yes, I trust this folder\n\nEnter to confirm · Esc to cancel",
    );
    assert_eq!(
        steps("shell", &question, &Reply::Yes),
        Ok(vec![press(&["Down"]), ReplyStep::Selected(1), press(&["Enter"])])
    );
    assert_eq!(steps("shell", &question, &Reply::No(None)), Ok(vec![press(&["Enter"])]));
}

#[test]
fn the_screen_shows_where_the_selection_is() {
    let mut replay = Replay::new(
        Detector::new(Agents::builtin().get(&"shell".parse().unwrap()).unwrap(), None),
        TermSize::clamped(80, 12),
    );
    let dialog = |second: bool| {
        let (one, two) = if second { (" ", "❯") } else { ("❯", " ") };
        format!(
            "\x1b[2J\x1b[HDo you want this?\r\n\r\n{one} 1. Yes\r\n{two} 2. No\r\n\r\nEnter to select · Esc to cancel"
        )
    };
    replay.output(Duration::from_secs(1), dialog(false).as_bytes());
    replay.until(Duration::from_secs(2));
    assert_eq!(replay.detector().state().question.as_ref().unwrap().selected, Some(0));
    replay.output(Duration::from_secs(3), dialog(true).as_bytes());
    replay.until(Duration::from_secs(4));
    assert_eq!(replay.detector().state().question.as_ref().unwrap().selected, Some(1));
}
