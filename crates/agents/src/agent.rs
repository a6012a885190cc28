//! One agent's definition.

use std::collections::BTreeMap;

use crate::agent_id::AgentId;
use crate::prompt_arguments::PromptArguments;

/// An agent program: how it is started, how it is given a prompt, and how it takes up its last conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// What others refer to it by.
    pub id: AgentId,
    /// What people call it. The user chose it: it has no controls in it, but may have anything else.
    pub name: String,
    /// The program and the arguments it always gets. Never empty.
    pub command: Vec<String>,
    /// How it is given a prompt.
    pub prompt: PromptArguments,
    /// What makes it go on where it was, behind the command; nothing if it cannot.
    pub continue_args: Option<Vec<String>>,
    /// Variables that only this agent gets, besides those of every agent.
    pub environment: BTreeMap<String, String>,
}

impl Agent {
    /// What to start, with a prompt to begin with. An agent that takes none (its [`PromptArguments`] are
    /// empty) starts without it; so does every agent if the prompt is blank.
    pub fn start(&self, prompt: Option<&str>) -> Vec<String> {
        let mut arguments = self.command.clone();
        arguments.extend(prompt.into_iter().flat_map(|prompt| self.prompt.fill(prompt)));
        arguments
    }

    /// What to start so that the newest conversation in the directory goes on; a fresh start if the agent has no such
    /// thing.
    pub fn restart(&self) -> Vec<String> {
        let mut arguments = self.command.clone();
        arguments.extend(self.continue_args.iter().flatten().cloned());
        arguments
    }
}
