//! Answers what a worker asks: with keys that are checked against the screen before and after.

use std::time::Duration;

use agents::{Agent, Question, Reply, ReplyStep, ScreenRows, Version, question_on};
use api::{Answer, ErrorCode, Problem};
use jiff::{SignedDuration, Timestamp};
use model::{InboxItemId, InboxReason, WorkerId};

use crate::rooms::Inbox;
use crate::standing::{Standing, StandingChange};
use crate::texts;
use crate::tokens::Principal;
use crate::workers::Hand;

/// Some programs drop keys that come in the moment in which they draw a dialog.
const DIALOG_TAKES_KEYS_AFTER: Duration = Duration::from_millis(300);

/// A detector notices within this time that a question is gone.
const NOTICED_WITHIN: Duration = Duration::from_secs(1);

/// An agent runs the hook of a question within this time after it shows the question.
const HOOK_COMES_WITHIN: SignedDuration = SignedDuration::from_secs(2);

/// A program reacts to keys within this time, unless it is stopped or starved.
const REACTS_WITHIN: Duration = Duration::from_secs(5);

/// What a worker asks, and what is known of its program.
pub(crate) struct Asked {
    /// What stands for the question.
    pub(crate) id: String,
    pub(crate) question: Question,
    pub(crate) agent: Agent,
    pub(crate) version: Option<Version>,
}

impl Asked {
    /// What the screen asks, if that is still the same.
    fn on(&self, screen: &ScreenRows) -> Option<Question> {
        question_on(screen, &self.agent, self.version.as_ref()).filter(|seen| self.question.is_still(seen))
    }
}

impl Inbox {
    /// Answers what a worker asks. The entry says which question is meant: if the worker asks something else by now, it gets
    /// no key. Of several requests at once, one answers.
    pub(crate) async fn answer(
        &self,
        who: &Principal,
        id: InboxItemId,
        answer: Answer,
    ) -> Result<(), Problem> {
        let reply = reply(&answer)?;
        let worker = self.asking(id).await?.worker;
        let _one_at_a_time = self.parts().answering.begin(worker)?;
        // Another request may have answered it meanwhile.
        let item = self.asking(id).await?;
        let asked = self.lives().asked(worker, self.agents()).filter(|asked| asked.id == item.mark);
        let asked = asked.ok_or_else(changed)?;
        if self.answer_hook(worker, &asked, &item, &reply).await? {
            return self.answered(who, worker, &item, &answer, asked.id).await;
        }
        let shown_for = Timestamp::now().duration_since(item.since);
        let shown_for = Duration::try_from(shown_for).unwrap_or_default();
        tokio::time::sleep(DIALOG_TAKES_KEYS_AFTER.saturating_sub(shown_for)).await;
        self.give(who, worker, &asked, &reply).await?;
        self.answered(who, worker, &item, &answer, asked.id).await
    }

    /// Notes who answered, and takes the question out of the inbox.
    async fn answered(
        &self,
        who: &Principal,
        worker: WorkerId,
        item: &store::InboxItem,
        answer: &Answer,
        mark: String,
    ) -> Result<(), Problem> {
        let detail = match &item.words {
            Some(words) => format!("{}: {words}", word(answer)),
            None => word(answer),
        };
        self.access().record(who, "worker.answer", worker, Some(detail)).await;
        self.leave(worker).await;
        let inbox = self.clone();
        self.parts().underway.begin(async move { inbox.enter_if_asked_again(worker, &mark).await });
        Ok(())
    }

    /// Gives an answer through the hook of the question, if one waits for it. False if none does, or if the agent takes no
    /// such answer through a hook: then keys are pressed.
    async fn answer_hook(
        &self,
        worker: WorkerId,
        asked: &Asked,
        item: &store::InboxItem,
        reply: &Reply,
    ) -> Result<bool, Problem> {
        let Some(waiting) = self.node().waiting_hook(worker).await? else { return Ok(false) };
        // A later hook with the same words asks for something else than what the person has seen.
        let is_later = waiting.at.duration_since(item.since) > HOOK_COMES_WITHIN;
        let question = &asked.question;
        let known: Vec<&str> = question.text.iter().chain(&question.detail).map(String::as_str).collect();
        if is_later || !agents::is_asked_by(&waiting.event, &known.join("\n")) {
            return Ok(false);
        }
        let (Some(id), Some(answer)) = (waiting.answer, agents::hook_answer(&waiting.event, reply)) else {
            return Ok(false);
        };
        // It may have been answered in the terminal just now. Then keys are refused as well.
        self.node().answer_hook(worker, id, answer).await
    }

    /// An entry that asks.
    async fn asking(&self, id: InboxItemId) -> Result<store::InboxItem, Problem> {
        match self.read(move |store| store.inbox_item(id)).await {
            Ok(item) if item.reason == InboxReason::Asking => Ok(item),
            Ok(_) => Err(Problem::new(ErrorCode::WrongState, "the worker asks nothing")),
            Err(problem) if problem.code() == ErrorCode::NotFound => Err(gone()),
            Err(problem) => Err(problem),
        }
    }

    /// A program may ask the same thing again so soon that the detector does not notice the time between. That is another
    /// question, so it gets an entry of its own.
    async fn enter_if_asked_again(&self, worker: WorkerId, answered: &str) {
        tokio::time::sleep(NOTICED_WITHIN).await;
        let asks = self.lives().asked(worker, self.agents()).is_some_and(|asked| asked.id == answered);
        let is_entered =
            self.read(move |store| store.inbox_item_of(worker)).await.is_ok_and(|item| item.is_some());
        if asks
            && !is_entered
            && let Some(live) = self.lives().get(worker)
        {
            let before = Standing::default();
            self.note(worker, StandingChange { before, after: live.standing, turn: None });
        }
    }

    async fn give(
        &self,
        who: &Principal,
        worker: WorkerId,
        asked: &Asked,
        reply: &Reply,
    ) -> Result<(), Problem> {
        let mut hand = Hand::attach(self, worker, "answer", who.token).await?;
        let seen = asked.on(&hand.screen()).ok_or_else(changed)?;
        let steps = asked.agent.reply_steps(&seen, reply).map_err(|error| {
            Problem::new(ErrorCode::CannotAnswer, error.to_string())
                .hint("choose one of its choices by number, or answer in its terminal")
        })?;
        for step in steps {
            match step {
                ReplyStep::Press(keys) => hand.press(&keys).await?,
                ReplyStep::Type(text) => hand.paste(&text).await?,
                ReplyStep::Selected(index) => {
                    let is_selected = |screen: &ScreenRows| {
                        asked.on(screen).is_some_and(|seen| seen.selected == Some(index))
                    };
                    if !hand.until(REACTS_WITHIN, is_selected).await? {
                        return Err(Problem::new(
                            ErrorCode::QuestionChanged,
                            "the selection did not move there",
                        )
                        .hint("nothing was chosen; answer in its terminal"));
                    }
                }
            }
        }
        if hand.until(REACTS_WITHIN, |screen| asked.on(screen).is_none()).await? {
            return Ok(());
        }
        // The program drew something, and no selection that waits for another key: it asks the same thing again.
        let selected = asked.on(&hand.screen()).and_then(|shown| shown.selected);
        if hand.has_reacted() && selected == seen.selected {
            return Ok(());
        }
        Err(Problem::new(
            ErrorCode::NotAnswering,
            "the program was sent the answer, and still shows the question",
        )
        .hint("look at its terminal"))
    }
}

/// The inbox has no such entry. It may never have had it, or the question was answered.
fn gone() -> Problem {
    Problem::new(ErrorCode::NotFound, "this question is not in the inbox any more")
        .hint("nothing was typed; see what the worker asks now")
}

fn changed() -> Problem {
    Problem::new(ErrorCode::QuestionChanged, "the worker does not ask that any more")
        .hint("nothing was typed; see what it asks now")
}

fn reply(answer: &Answer) -> Result<Reply, Problem> {
    Ok(match answer {
        Answer::Yes => Reply::Yes,
        Answer::Always => Reply::Always,
        Answer::No { words } => {
            Reply::No(words.as_deref().map(|words| texts::line("answer", words)).transpose()?)
        }
        Answer::Choose { choice } => Reply::Choose(
            choice
                .checked_sub(1)
                .ok_or_else(|| Problem::new(ErrorCode::CannotAnswer, "choices are counted from 1"))?,
        ),
        Answer::Words { words } => Reply::Words(texts::line("answer", words)?),
    })
}

/// The answer, for the record. Words may be a password.
fn word(answer: &Answer) -> String {
    match answer {
        Answer::Yes => "yes".to_owned(),
        Answer::Always => "always".to_owned(),
        Answer::No { words: None } => "no".to_owned(),
        Answer::No { words: Some(_) } => "no, with words".to_owned(),
        Answer::Choose { choice } => format!("choice {choice}"),
        Answer::Words { .. } => "words".to_owned(),
    }
}
