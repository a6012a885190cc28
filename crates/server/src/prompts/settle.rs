//! Finds out what became of a prompt that was being typed: by a server that was killed, or until something came between.

use agents::{Typed, question_on};
use api::Problem;
use model::Activity;
use store::{Prompt, PromptState};

use super::deliver::later;
use super::evidence::Seen;
use super::queue::Next;
use crate::rooms::Prompts;
use crate::workers::Hand;

impl Prompts {
    /// Goes on with a prompt of which a part was typed. It is never typed again: if the screen does not show what became
    /// of it, a person has to look.
    pub(super) async fn go_on_with(
        &self,
        prompt: &Prompt,
        activity: Activity,
        seen: &mut Seen,
    ) -> Result<Next, Problem> {
        let submitting = matches!(prompt.state, PromptState::Submitting { .. });
        match activity {
            Activity::Unknown => return Ok(Next::Wait(None)),
            Activity::Asking if !submitting => return Ok(Next::Wait(None)),
            _ => {}
        }
        let _one_at_a_time = self.parts().answering.begin(prompt.worker)?;
        let agent = self.lives().definition(prompt.worker, self.agents());
        let mut hand = Hand::attach(self, prompt.worker, "prompt", prompt.token).await?;
        let screen = hand.screen();
        if !submitting && question_on(&screen, agent, None).is_some() {
            return Ok(later());
        }
        let stands = Typed::on(&screen).is_prompt(&prompt.text);
        let unknown = |reason: &str| PromptState::Unknown { reason: reason.to_owned() };
        let state = match (&prompt.state, stands) {
            (PromptState::Pasting { busy }, true) => {
                let pasted = self.settle(prompt, PromptState::Pasted { busy: *busy }).await?;
                return self.submit(&mut hand, agent, &pasted, *busy, seen).await;
            }
            (PromptState::Pasted { busy }, true) => {
                return self.submit(&mut hand, agent, prompt, *busy, seen).await;
            }
            (PromptState::Submitting { busy }, false) => PromptState::Submitted { busy: *busy },
            (PromptState::Pasting { .. }, false) => {
                unknown("abide was interrupted while it pasted it; look at the terminal")
            }
            (PromptState::Pasted { .. }, false) => {
                unknown("it does not stand in the place to type any more; look at the terminal")
            }
            (PromptState::Submitting { .. }, true) => unknown(
                "abide was interrupted while it pressed Enter, and the text stands in the place to type",
            ),
            _ => return Ok(Next::Now),
        };
        self.settle(prompt, state).await.map(|_| Next::Now)
    }
}
