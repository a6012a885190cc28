//! A person's reply to a question, and the keys that give it.

use std::sync::LazyLock;

use regex_lite::Regex;
use thiserror::Error;

use crate::agent::{Agent, Answer};
use crate::question::{Form, Question};

/// What a person replies to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Yes, this time.
    Yes,
    /// Yes, from now on.
    Always,
    /// No; with words that tell the agent what to do instead.
    No(Option<String>),
    /// One of the choices, counted from zero.
    Choose(usize),
    /// Words of the person's own.
    Words(String),
}

/// A step of giving a reply through the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyStep {
    /// These keys are pressed, one after the other.
    Press(Vec<String>),
    /// This text is typed.
    Type(String),
    /// The screen must show that the selection stands on this choice, counted from zero, before the next step.
    Selected(usize),
}

/// Why a reply cannot be given with keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unanswerable {
    /// The question is no yes-or-no question.
    #[error("the question cannot be answered with `{0}`")]
    OtherKind(&'static str),
    /// There are fewer choices.
    #[error("the question has no choice {0}")]
    NoSuchChoice(usize),
    /// The screen does not show where the selection stands.
    #[error("the screen does not show which choice is selected")]
    SelectionUnseen,
    /// The dialog takes no words.
    #[error("the question cannot be answered with words")]
    NoWords,
}

fn words(pattern: &'static str) -> Regex {
    Regex::new(pattern).expect("a constant that tests use")
}

static YES: LazyLock<Regex> =
    LazyLock::new(|| words(r"(?i)^(yes|allow|approve|accept|trust|proceed|ok|okay|continue|run)\b"));
static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"(?i)\balways\b|\bdon['’]t ask\b|\bfor (this|the) (session|conversation)\b|\bduring this session\b",
    )
});
static NO: LazyLock<Regex> =
    LazyLock::new(|| words(r"(?i)^(no|deny|reject|decline|cancel|don['’]t|do not|stop|exit|quit)\b"));

impl Agent {
    /// The steps that give a reply to a question through the terminal. They come from the agent's definition where it knows
    /// the kind of question, and otherwise from what the screen shows.
    ///
    /// # Errors
    ///
    /// When the question cannot be answered like that.
    pub fn reply_steps(&self, question: &Question, reply: &Reply) -> Result<Vec<ReplyStep>, Unanswerable> {
        match reply {
            Reply::Yes => self.meant(question, Answer::Yes),
            Reply::Always => self.meant(question, Answer::Always),
            Reply::No(None) => self.meant(question, Answer::No),
            Reply::No(Some(_)) => Err(Unanswerable::NoWords),
            Reply::Choose(index) => self.choose(question, *index),
            Reply::Words(text) => match question.form {
                Some(Form::Line) => Ok(vec![ReplyStep::Type(text.clone()), enter()]),
                _ => Err(Unanswerable::NoWords),
            },
        }
    }

    fn meant(&self, question: &Question, answer: Answer) -> Result<Vec<ReplyStep>, Unanswerable> {
        let (known, word) = match answer {
            Answer::Yes => (&*YES, "yes"),
            Answer::Always => (&*ALWAYS, "always"),
            Answer::No | Answer::Choose => (&*NO, "no"),
        };
        let means =
            |label: &String| known.is_match(label) && (answer != Answer::Yes || !ALWAYS.is_match(label));
        if question.form == Some(Form::Line) {
            return match (answer, question.choices.is_empty()) {
                (Answer::Yes, false) => Ok(vec![ReplyStep::Type("y".to_owned()), enter()]),
                (Answer::No, false) => Ok(vec![ReplyStep::Type("n".to_owned()), enter()]),
                _ => Err(Unanswerable::OtherKind(word)),
            };
        }
        let choice = question.choices.iter().position(means);
        if let Some(keys) = self.keys(question, answer) {
            // A key that is a choice's number must be the number of the choice that means this.
            let number = match keys {
                [only] => only.parse::<usize>().ok(),
                _ => None,
            };
            let fits = |number: usize| question.choices.is_empty() || choice == Some(number - 1);
            if number.is_none_or(|number| number > 0 && fits(number)) {
                return Ok(vec![ReplyStep::Press(keys.to_vec())]);
            }
        }
        match choice {
            Some(index) => self.choose(question, index),
            None => Err(Unanswerable::OtherKind(word)),
        }
    }

    fn choose(&self, question: &Question, index: usize) -> Result<Vec<ReplyStep>, Unanswerable> {
        if index >= question.choices.len() {
            return Err(Unanswerable::NoSuchChoice(index + 1));
        }
        if question.form == Some(Form::Line) {
            let answer = if index == 0 { Answer::Yes } else { Answer::No };
            return self.meant(question, answer);
        }
        let by_number = |keys: &[String]| keys == ["{number}"];
        if self.keys(question, Answer::Choose).is_some_and(by_number) && index < 9 {
            return Ok(vec![ReplyStep::Press(vec![(index + 1).to_string()])]);
        }
        if question.form == Some(Form::Buttons) {
            return Err(Unanswerable::SelectionUnseen);
        }
        let at = question.selected.ok_or(Unanswerable::SelectionUnseen)?;
        let (key, times) = if index >= at { ("Down", index - at) } else { ("Up", at - index) };
        let mut steps = Vec::new();
        if times > 0 {
            steps.push(ReplyStep::Press(vec![key.to_owned(); times]));
            steps.push(ReplyStep::Selected(index));
        }
        steps.push(enter());
        Ok(steps)
    }

    fn keys(&self, question: &Question, answer: Answer) -> Option<&[String]> {
        Some(self.answers.get(&question.kind?)?.get(&answer)?)
    }
}

fn enter() -> ReplyStep {
    ReplyStep::Press(vec!["Enter".to_owned()])
}
