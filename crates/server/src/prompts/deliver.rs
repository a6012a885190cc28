//! Types a prompt: it is pasted once and submitted once, and each step is written down before and after it.

use std::time::Duration;

use agents::{Agent, ReplyStep, ScreenRows, Typed, question_on};
use api::Problem;
use jiff::Timestamp;
use model::Activity;
use store::{Prompt, PromptState, Store};
use tokio::time::Instant;

use super::evidence::Seen;
use super::queue::Next;
use crate::rooms::Prompts;
use crate::workers::Hand;

/// A program shows what is typed within this time, unless it is stopped or starved.
const SHOWN_WITHIN: Duration = Duration::from_secs(5);

/// A program that draws all the time is looked at after this long.
const LOOKED_AT_WITHIN: Duration = Duration::from_millis(200);

/// Some programs take Enter for a part of the paste when it comes sooner.
const PASTE_IS_OVER_AFTER: Duration = Duration::from_millis(150);

/// A screen that shows a question although the detector does not know of it yet is looked at again after this long.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl Prompts {
    /// Types a queued prompt. `busy`: the agent works.
    pub(super) async fn deliver(
        &self,
        prompt: &Prompt,
        busy: bool,
        seen: &mut Seen,
    ) -> Result<Next, Problem> {
        let worker = prompt.worker;
        let _one_at_a_time = self.parts().answering.begin(worker)?;
        let agent = self.lives().definition(worker, self.agents());
        let mut hand = Hand::attach(self, worker, "prompt", prompt.token).await?;
        let asks = |screen: &ScreenRows| question_on(screen, agent, None).is_some();
        if asks(&hand.screen()) {
            return Ok(later());
        }
        let in_brackets = hand.pastes_in_brackets();
        if agent.prompt_steps(&prompt.text, in_brackets).is_none() {
            let reason = "its program takes no pasted text of several lines; send it in one line";
            return self
                .settle(prompt, PromptState::Failed { reason: reason.to_owned() })
                .await
                .map(|_| Next::Now);
        }
        // It may have been edited or removed since the queue was read.
        let pasting = self.settle(prompt, PromptState::Pasting { busy }).await?;
        hand.until(LOOKED_AT_WITHIN, |_| true).await?;
        if asks(&hand.screen()) || self.activity(worker) == Activity::Asking {
            self.settle(&pasting, PromptState::Queued).await?;
            return Ok(later());
        }
        let before = Typed::on(&hand.screen());
        let steps = agent.prompt_steps(&pasting.text, in_brackets).unwrap_or_default();
        if let Err(problem) = type_all(&mut hand, steps).await {
            let reason = format!("it is not known whether it was pasted: {}", problem.error.message);
            return self.settle(&pasting, PromptState::Unknown { reason }).await.map(|_| Next::Now);
        }
        let shows = |screen: &ScreenRows| match before.has_place() {
            true => Typed::on(screen).holds(&pasting.text, &before),
            false => true,
        };
        let is_shown = hand.until(SHOWN_WITHIN, shows).await?;
        // Shown in another form, perhaps.
        if !is_shown && (Typed::on(&hand.screen()) == before || asks(&hand.screen())) {
            let reason = "it was pasted, and the program does not show it; look at its terminal";
            let state = PromptState::Unknown { reason: reason.to_owned() };
            return self.settle(&pasting, state).await.map(|_| Next::Now);
        }
        let pasted = self.settle(&pasting, PromptState::Pasted { busy }).await?;
        tokio::time::sleep(PASTE_IS_OVER_AFTER).await;
        self.submit(&mut hand, agent, &pasted, busy, seen).await
    }

    /// Submits a prompt that stands in the place to type.
    pub(super) async fn submit(
        &self,
        hand: &mut Hand,
        agent: &Agent,
        pasted: &Prompt,
        busy: bool,
        seen: &mut Seen,
    ) -> Result<Next, Problem> {
        self.faults().before_submitting().await;
        hand.until(LOOKED_AT_WITHIN, |_| true).await?;
        if question_on(&hand.screen(), agent, None).is_some() {
            return Ok(later());
        }
        let stands = Typed::on(&hand.screen());
        let submitting = self.settle(pasted, PromptState::Submitting { busy }).await?;
        seen.submits(pasted.id, self.lives().get(pasted.worker).and_then(|live| live.turn));
        hand.press(&agent.prompt_keys.submit).await?;
        self.faults().after_submitting().await;
        let is_taken = |screen: &ScreenRows| !stands.has_place() || Typed::on(screen) != stands;
        let state = match hand.until(SHOWN_WITHIN, is_taken).await? {
            true => PromptState::Submitted { busy },
            false => {
                let reason = "the program was sent Enter, and the text still stands in the place to type";
                PromptState::Failed { reason: reason.to_owned() }
            }
        };
        self.settle(&submitting, state).await.map(|_| Next::Now)
    }

    /// Writes down what became of a prompt.
    ///
    /// # Errors
    ///
    /// When it is in another state by now.
    pub(super) async fn settle(&self, prompt: &Prompt, to: PromptState) -> Result<Prompt, Problem> {
        let (id, from) = (prompt.id, prompt.state.clone());
        let written = self.happened(move |store: &Store| store.prompt_step(id, &from, &to, Timestamp::now()));
        written.until_written().await
    }
}

pub(super) fn later() -> Next {
    Next::Wait(Some(Instant::now() + LOOK_AGAIN))
}

async fn type_all(hand: &mut Hand, steps: Vec<ReplyStep>) -> Result<(), Problem> {
    for step in steps {
        match step {
            ReplyStep::Type(text) => hand.paste(&text).await?,
            ReplyStep::Press(keys) => hand.press(&keys).await?,
            ReplyStep::Selected(_) => {}
        }
    }
    Ok(())
}
