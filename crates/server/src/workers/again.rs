//! What starts a worker again: an agent goes on with its own conversation, and never with that of another agent.

use agents::Agent;
use api::{Problem, Restart};
use model::WorkerLife;
use store::{Worker, WorkerKind};

use super::Wanted;
use crate::rooms::Workers;

/// What a worker is started with again, and what a person should know about that.
pub(super) struct Again {
    pub(super) wanted: Wanted,
    pub(super) notice: Option<String>,
}

/// How an agent is started again.
enum GoOn {
    /// With its own conversation.
    Exactly(String),
    /// With the newest conversation in its directory.
    Newest,
    /// With the same command: it has not begun to do what that says.
    Same,
    /// With a new conversation.
    Fresh,
}

impl Workers {
    /// Decides what starts a worker again. The worker has ended.
    pub(super) async fn again(&self, old: &Worker, restart: Restart) -> Result<Again, Problem> {
        let (kind, name) = (old.kind.clone(), Some(old.name.clone()));
        let wanted = |command, variables| Wanted { kind, name, command, variables };
        // The command without prompt and conversation.
        let (agent, bare, variables) = match &old.kind {
            WorkerKind::Agent { agent } => {
                let agent = self.agent(agent)?;
                let variables = agent.environment.iter().map(|(name, value)| (name.into(), value.into()));
                (agent, &agent.command, variables.collect())
            }
            // An agent that was started by hand. What its other arguments mean is not known.
            WorkerKind::Terminal => match self.agents().of_command(&old.command) {
                Some(agent) if agent.resume.is_some() && old.command.len() == 1 => {
                    (agent, &old.command, Vec::new())
                }
                _ => return Ok(Again { wanted: wanted(old.command.clone(), Vec::new()), notice: None }),
            },
        };
        let (goes_on, notice) = self.goes_on(old, agent, restart).await?;
        let newest = || bare.iter().chain(agent.continue_args.iter().flatten()).cloned().collect();
        let new_id = conversation_id()?;
        let command = match goes_on {
            GoOn::Exactly(id) => agent.resume_of(bare, &id).unwrap_or_else(newest),
            GoOn::Newest => newest(),
            GoOn::Same => agent.begin_again(&old.command, &new_id).unwrap_or_else(|| old.command.clone()),
            GoOn::Fresh if old.kind == WorkerKind::Terminal => old.command.clone(),
            GoOn::Fresh => agent.start_as(&new_id, None).unwrap_or_else(|| agent.start(None)),
        };
        Ok(Again { wanted: wanted(command, variables), notice })
    }

    async fn goes_on(
        &self,
        old: &Worker,
        agent: &Agent,
        restart: Restart,
    ) -> Result<(GoOn, Option<String>), Problem> {
        if !restart.continue_conversation {
            return Ok((GoOn::Fresh, None));
        }
        // An agent that never ran has no conversation.
        if matches!(old.life, WorkerLife::Failed { .. }) {
            return Ok((GoOn::Same, None));
        }
        // A definition that cannot name a conversation has said that the newest one is meant.
        if restart.newest || agent.resume.is_none() {
            return Ok((GoOn::Newest, None));
        }
        let name = &agent.name;
        let noted = self.node().noted_conversation(old.id).await?;
        if noted.as_ref().is_some_and(|noted| noted.gone) {
            let words = format!("{name} does not have its conversation any more; it begins a new one");
            return Ok((GoOn::Fresh, Some(words)));
        }
        let in_command = || agent.conversation_in(&old.command);
        let Some(id) = noted.map(|noted| noted.id).or_else(in_command) else {
            let words = format!(
                "it is not known which conversation was {name}'s own, so it begins a new one; restart it with the \
                 newest conversation in its directory to continue that one"
            );
            return Ok((GoOn::Fresh, Some(words)));
        };
        match self.node().is_conversation_kept(agent, &id).await? {
            Some(false) => {
                let words = format!("{name} had nothing to continue: it had got no prompt yet");
                let is_first = agent.begin_again(&old.command, &id).is_some_and(|same| same == old.command);
                Ok((if is_first { GoOn::Same } else { GoOn::Fresh }, Some(words)))
            }
            Some(true) | None => Ok((GoOn::Exactly(id), None)),
        }
    }
}

/// A new id for a conversation: a UUID of random bits.
pub(super) fn conversation_id() -> Result<String, Problem> {
    let bytes: [u8; 16] = super::random_bytes()?;
    let mut number = u128::from_be_bytes(bytes);
    number &= !(0xf << 76 | 0x3 << 62);
    number |= 0x4 << 76 | 0x2 << 62;
    let digits = format!("{number:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversations_id_is_a_random_uuid() {
        let id = conversation_id().unwrap();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id[14..].starts_with('4') && "89ab".contains(&id[19..20]), "{id}");
        assert_ne!(id, conversation_id().unwrap());
    }
}
