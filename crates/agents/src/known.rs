//! All agents that can be started here.

use crate::agent::Agent;
use crate::agent_id::AgentId;
use crate::error::AgentsError;
use crate::file::{self, Read};

/// The agents that come with abide, in the order in which to offer them.
const BUILTIN: [&str; 10] = [
    include_str!("../definitions/claude.toml"),
    include_str!("../definitions/codex.toml"),
    include_str!("../definitions/gemini.toml"),
    include_str!("../definitions/opencode.toml"),
    include_str!("../definitions/qwen.toml"),
    include_str!("../definitions/copilot.toml"),
    include_str!("../definitions/pi.toml"),
    include_str!("../definitions/kilo.toml"),
    include_str!("../definitions/others.toml"),
    include_str!("../definitions/shell.toml"),
];

/// All agents that can be started here: those that come with abide, and the user's own behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agents {
    agents: Vec<Agent>,
    /// Any program of which nothing is known.
    generic: Agent,
    /// Whether the user has said what `shell` is.
    own_shell: bool,
}

impl Agents {
    /// The agents that come with abide.
    pub fn builtin() -> Agents {
        let read = |text| file::read(text).expect("a test reads all definitions as well");
        let agents = BUILTIN.into_iter().flat_map(read).map(|read| read.agent).collect();
        Agents { agents, generic: generic(), own_shell: false }
    }

    /// The agents that come with abide and those that a user defines, as TOML. A definition with an id that is there
    /// already, or that is another name of one, replaces that definition as a whole. Only how the agent's activity is
    /// known stays, if the new definition does not say it. Another definition of the same program takes over how that
    /// program names its conversations.
    ///
    /// # Errors
    ///
    /// When the text is no TOML, or one of its definitions cannot be used; with the line, and what to do about it.
    pub fn load(text: Option<&str>) -> Result<Agents, AgentsError> {
        let mut agents = Agents::builtin();
        for Read { agent: mut theirs, has_signs, has_programs, has_hooks } in
            text.map(file::read).transpose()?.into_iter().flatten()
        {
            agents.own_shell |= theirs.id == AgentId::shell();
            let replaced = agents.position(&theirs.id);
            let like = replaced.map(|at| &agents.agents[at]).or_else(|| agents.of_command(&theirs.command));
            if let Some(like) = like.filter(|_| !has_signs) {
                theirs.signs = like.signs.clone();
                if theirs.answers.is_empty() {
                    theirs.answers.clone_from(&like.answers);
                }
            }
            // The same program takes the same arguments.
            if let Some(same) = agents.of_command(&theirs.command)
                && theirs.start_with_id.is_none()
                && theirs.resume.is_none()
            {
                theirs.start_with_id.clone_from(&same.start_with_id);
                theirs.resume.clone_from(&same.resume);
                theirs.conversation.clone_from(&same.conversation);
                theirs.transcript = theirs.transcript.or(same.transcript);
                if !has_hooks {
                    theirs.hooks.clone_from(&same.hooks);
                }
            }
            match replaced {
                Some(at) => {
                    let ours = &mut agents.agents[at];
                    let names = ours.aliases.iter().chain([&ours.id]).filter(|name| **name != theirs.id);
                    theirs.aliases.extend(names.cloned().collect::<Vec<_>>());
                    if !has_programs {
                        theirs.programs.extend(ours.programs.iter().cloned());
                    }
                    *ours = theirs;
                }
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

    /// The agent with this id, or with this other name.
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        if *id == self.generic.id {
            return Some(&self.generic);
        }
        Some(&self.agents[self.position(id)?])
    }

    /// The agent that a command starts, by the name of its program; the user's own definitions are tried first.
    pub fn of_command(&self, command: &[String]) -> Option<&Agent> {
        self.agents.iter().rev().find(|agent| agent.is_started_by(command))
    }

    /// The agent that sets a title like this: it begins with the agent's name, behind a spinner.
    pub fn of_title(&self, title: &str) -> Option<&Agent> {
        let words = title.trim_start_matches(|c: char| !c.is_alphanumeric());
        let begins = |name: &str| {
            let start = words.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
            start.is_some_and(|_| !words[name.len()..].starts_with(|c: char| c.is_alphanumeric()))
        };
        self.agents.iter().rev().find(|agent| {
            let aliases = agent.aliases.iter().map(AgentId::as_str);
            let mut names = [agent.name.as_str(), agent.id.as_str()].into_iter().chain(aliases);
            names.any(begins) || agent.name == "Copilot" && begins("GitHub Copilot")
        })
    }

    /// What stands for a program of which nothing is known. It cannot be started.
    pub fn generic(&self) -> &Agent {
        &self.generic
    }

    fn position(&self, id: &AgentId) -> Option<usize> {
        let is_id = self.agents.iter().position(|agent| agent.id == *id);
        is_id.or_else(|| self.agents.iter().position(|agent| agent.aliases.contains(id)))
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

/// No command, and no rules: what it asks is known by the structure of its screen.
fn generic() -> Agent {
    let text = "[[agent]]\nid = \"generic\"\nname = \"Any program\"\ncommand = [\"?\"]\nprograms = []\n";
    let mut read = file::read(text).expect("a test reads it as well");
    let mut agent = read.pop().expect("one agent").agent;
    agent.command.clear();
    agent
}
