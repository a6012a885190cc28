//! Makes a command of a request for a worker.

use std::ffi::OsString;

use api::{CreateWorker, ErrorCode, Problem};
use store::WorkerKind;

use super::again::conversation_id;
use crate::rooms::Workers;
use crate::texts;

/// A worker that a request asks for, before it has an id.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: WorkerKind,
    pub(crate) name: Option<String>,
    pub(crate) command: Vec<String>,
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Workers {
    /// The command of an agent. `goes_on` means the newest conversation in its directory; otherwise it begins one, with an
    /// id of ours if it takes one.
    pub(crate) fn wanted_agent(
        &self,
        id: &str,
        prompt: Option<&str>,
        goes_on: bool,
    ) -> Result<Wanted, Problem> {
        let agent = self.agent(id)?;
        let prompt = prompt.map(texts::prompt).transpose()?.flatten();
        let command = match goes_on {
            true => agent.restart(),
            false => {
                let begun = agent.start_as(&conversation_id()?, prompt.as_deref());
                begun.unwrap_or_else(|| agent.start(prompt.as_deref()))
            }
        };
        let variables = agent.environment.iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Wanted {
            kind: WorkerKind::Agent { agent: agent.id.as_str().to_owned() },
            name: Some(agent.name.clone()),
            command,
            variables: variables.collect(),
        })
    }

    pub(super) fn wanted(&self, new: CreateWorker) -> Result<Wanted, Problem> {
        match new {
            CreateWorker::Agent { name, agent_id, prompt, continue_conversation } => {
                let mut wanted = self.wanted_agent(&agent_id, prompt.as_deref(), continue_conversation)?;
                if let Some(name) = name {
                    wanted.name = Some(texts::line("name", &name)?);
                }
                Ok(wanted)
            }
            CreateWorker::Terminal { name, command } => {
                let name = name.map(|name| texts::line("name", &name)).transpose()?;
                let command = command.filter(|command| !command.is_empty());
                let command = match command {
                    Some(command) => command,
                    None => vec![self.node().shell()],
                };
                if command.iter().any(|word| word.contains('\0')) || command[0].is_empty() {
                    return Err(Problem::new(ErrorCode::BadText, "the command cannot be run"));
                }
                Ok(Wanted { kind: WorkerKind::Terminal, name, command, variables: Vec::new() })
            }
        }
    }
}
