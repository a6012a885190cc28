//! All agents that can be started here.

use crate::agent::Agent;
use crate::agent_id::AgentId;
use crate::error::AgentsError;
use crate::file;

/// The agents that come with abide.
const BUILTIN: &str = include_str!("../builtin.toml");

/// All agents that can be started here: those that come with abide, and the user's own behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agents {
    agents: Vec<Agent>,
    /// Whether the user has said what `shell` is.
    own_shell: bool,
}

impl Agents {
    /// The agents that come with abide.
    pub fn builtin() -> Agents {
        let agents = file::read(BUILTIN).expect("a test reads builtin.toml as well");
        Agents { agents, own_shell: false }
    }

    /// The agents that come with abide and those that a user defines, as TOML. A definition with an id that is there
    /// already replaces that definition as a whole.
    ///
    /// # Errors
    ///
    /// When the text is no TOML, or one of its definitions cannot be used; with the line, and what to do about it.
    pub fn load(text: Option<&str>) -> Result<Agents, AgentsError> {
        let mut agents = Agents::builtin();
        for theirs in text.map(file::read).transpose()?.into_iter().flatten() {
            agents.own_shell |= theirs.id == AgentId::shell();
            match agents.agents.iter_mut().find(|agent| agent.id == theirs.id) {
                Some(ours) => *ours = theirs,
                None => agents.agents.push(theirs),
            }
        }
        Ok(agents)
    }

    /// The same agents, with this program as the plain shell unless the user has defined another.
    #[must_use]
    pub fn with_login_shell(mut self, program: &str) -> Agents {
        if !self.own_shell && !program.is_empty() {
            let shell = self.agents.iter_mut().find(|agent| agent.id == AgentId::shell());
            shell.expect("no definition is ever removed").command = vec![program.to_owned()];
        }
        self
    }

    /// The agent with this id.
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.id == *id)
    }

    /// All of them, in the order in which to offer them.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Agent> {
        self.agents.iter()
    }
}

impl Default for Agents {
    fn default() -> Agents {
        Agents::builtin()
    }
}
