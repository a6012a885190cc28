//! Requests about prompts.

use api::{Prompt, SendPrompt, SendPrompts, SentPrompt};
use model::{PromptId, WorkerId};

use crate::{Client, Error};

impl Client {
    /// The prompts of a worker, in their order.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn prompts(&self, worker: WorkerId) -> Result<Vec<Prompt>, Error> {
        self.get(&format!("/api/workers/{worker}/prompts"))
    }

    /// Queues a prompt for a worker.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn send_prompt(&self, worker: WorkerId, prompt: &SendPrompt) -> Result<Prompt, Error> {
        self.post_json(&format!("/api/workers/{worker}/prompts"), prompt)
    }

    /// Queues a prompt for several workers.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn send_prompts(&self, prompts: &SendPrompts) -> Result<Vec<SentPrompt>, Error> {
        self.post_json("/api/prompts", prompts)
    }

    /// Takes a prompt out of the queue.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn remove_prompt(&self, worker: WorkerId, prompt: PromptId) -> Result<(), Error> {
        self.delete(&format!("/api/workers/{worker}/prompts/{prompt}"))
    }

    /// Takes all prompts out of a worker's queue.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn empty_prompts(&self, worker: WorkerId) -> Result<(), Error> {
        self.delete(&format!("/api/workers/{worker}/prompts"))
    }
}
