//! What a worker's program is doing, in the words that may leave the server.

use agents::{Evidence, Question, State, Turn};
use jiff::Timestamp;
use model::{Activity, ShownText};
use sha2::{Digest, Sha256};

use crate::node::Exit;

/// What a worker's program is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) activity: Activity,
    /// Since when.
    pub(crate) since: Option<Timestamp>,
    /// The source that is believed.
    pub(crate) source: Option<Evidence>,
    /// What it asks, when it asks.
    pub(crate) question: Option<api::Question>,
    /// What it said when it failed, while it is idle after that.
    pub(crate) error: Option<ShownText>,
}

/// A worker's standing has changed.
#[derive(Clone, Debug)]
pub(crate) struct StandingChange {
    pub(crate) before: Standing,
    pub(crate) after: Standing,
    /// The turn that has ended with it.
    pub(crate) turn: Option<api::Turn>,
}

impl Standing {
    /// The standing after this one.
    pub(crate) fn next(&self, state: &State, since: Timestamp, exit: &Exit) -> Standing {
        let mut question = state.question.as_ref().map(|question| shown(question, exit));
        if let (Some(before), Some(now)) = (&self.question, &mut question)
            && is_same(before, now)
        {
            now.id.clone_from(&before.id);
        }
        Standing {
            activity: state.activity,
            since: (state.activity != Activity::Unknown).then_some(since),
            source: state.source,
            question,
            error: state.error.as_deref().map(|error| exit.show(error)),
        }
    }
}

/// A turn, with the moment that its times count from.
pub(crate) fn turn(turn: &Turn, began: Timestamp, exit: &Exit) -> api::Turn {
    use agents::TurnEnd;
    let at = |since| began.checked_add(since).unwrap_or(Timestamp::MAX);
    api::Turn {
        began: at(turn.began),
        ended: at(turn.ended),
        how: match turn.how {
            TurnEnd::Finished => api::TurnEnd::Finished,
            TurnEnd::Interrupted => api::TurnEnd::Interrupted,
            TurnEnd::Refused => api::TurnEnd::Refused,
            TurnEnd::Failed => api::TurnEnd::Failed,
            TurnEnd::Limit => api::TurnEnd::Limit,
        },
        message: turn.message.as_deref().map(|message| exit.show_end(message)),
    }
}

fn shown(question: &Question, exit: &Exit) -> api::Question {
    let all = |texts: &[String]| texts.iter().map(|text| exit.show(text)).collect();
    let mut shown = api::Question {
        id: String::new(),
        kind: question.kind.map(|kind| kind.as_str().to_owned()),
        text: question.text.as_deref().map(|text| exit.show(text)),
        detail: all(&question.detail),
        choices: all(&question.choices),
        selected: question.selected,
        takes_words: question.takes_words(),
    };
    shown.id = id(&shown);
    shown
}

/// The same for the same question, also in another run of the server. Made of masked texts, so that it tells nothing of
/// what they hide.
fn id(question: &api::Question) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    };
    add(question.text.as_deref().unwrap_or_default());
    question.detail.iter().for_each(|line| add(line));
    add("choices");
    question.choices.iter().for_each(|choice| add(choice));
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a question is the one before, of which more is known now.
fn is_same(before: &api::Question, now: &api::Question) -> bool {
    let text = before.text.is_none() || before.text == now.text;
    let detail = before.detail.is_empty() || before.detail == now.detail;
    let choices = before.choices.is_empty() || before.choices == now.choices;
    text && detail && choices
}

#[cfg(test)]
mod tests {
    use agents::AskedFor;
    use reading::Masks;

    use super::*;

    fn asking(text: &str, choices: &[&str]) -> State {
        let question = Question {
            kind: Some(AskedFor::Permission),
            text: Some(text.to_owned()),
            choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
            ..Question::default()
        };
        State { activity: Activity::Asking, question: Some(question), ..State::default() }
    }

    fn after(before: &Standing, state: &State) -> Standing {
        let home = tempfile::tempdir().unwrap();
        let masks = Masks::read_at_least(&home::Home::at(home.path())).0;
        before.next(state, Timestamp::UNIX_EPOCH, &Exit::common(&masks))
    }

    fn id_of(standing: &Standing) -> &str {
        &standing.question.as_ref().expect("it asks").id
    }

    #[test]
    fn a_question_keeps_its_id_when_more_is_known_of_it() {
        let first = after(&Standing::default(), &asking("May I?", &[]));
        let second = after(&first, &asking("May I?", &["Yes", "No"]));
        assert_eq!(id_of(&first), id_of(&second));
        let other = after(&second, &asking("May I?", &["Yes", "Never"]));
        assert_ne!(id_of(&second), id_of(&other));
        let again = after(&Standing::default(), &asking("May I?", &["Yes", "Never"]));
        assert_eq!(id_of(&again), id_of(&other), "another run of the server says the same");
    }

    #[test]
    fn s38_secrets_of_a_question_are_masked_before_it_is_cut() {
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let text = format!("{}{secret}", "x ".repeat(190));
        let standing = after(&Standing::default(), &asking(&text, &[&format!("run with {secret}")]));
        let question = standing.question.expect("it asks");
        assert!(!question.text.expect("a text").contains("ghp_a"));
        assert!(!question.choices[0].contains("ghp_a"), "{:?}", question.choices);
    }
}
