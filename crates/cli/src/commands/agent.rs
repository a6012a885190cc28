//! `abide agent`: the agents that abide knows, and how it knows what they are doing.

mod ls;
mod replay;
mod show;
mod test;

use agents::{Agents, Version};
use anyhow::Context;
use clap::Subcommand;
use home::Home;

use crate::failure::Failure;
use crate::workers;

/// Show the agents that abide knows, and try how abide knows what they are doing
///
/// The definitions come with abide; `agents.toml` in the data directory adds others or replaces them. Needs no server.
#[derive(Subcommand)]
pub(super) enum Agent {
    Ls(ls::Ls),
    Show(show::Show),
    Test(test::Test),
    Replay(replay::Replay),
}

impl Agent {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Agent::Ls(ls) => ls.run(),
            Agent::Show(show) => show.run(),
            Agent::Test(test) => test.run(),
            Agent::Replay(replay) => replay.run(),
        }
    }
}

/// The agents of this user.
fn agents() -> Result<Agents, Failure> {
    agents_of(&workers::home()?)
}

fn agents_of(home: &Home) -> Result<Agents, Failure> {
    let path = home.root().join("agents.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(anyhow::Error::from(error)
                .context(format!("cannot read `{}`", path.display()))
                .into());
        }
    };
    let agents = Agents::load(text.as_deref()).with_context(|| format!("in `{}`", path.display()));
    let agents = agents.map_err(|error| Failure::from(error).hint("correct that line, or remove it"))?;
    Ok(agents.with_login_shell(&std::env::var("SHELL").unwrap_or_default()))
}

/// The agent that a person names: `claude`, or `claude@2.1.197` for one version of it.
fn named<'a>(agents: &'a Agents, name: &str) -> Result<(&'a agents::Agent, Option<Version>), Failure> {
    let (id, version) = name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)));
    let agent = id.parse().ok().and_then(|id| agents.get(&id));
    let Some(agent) = agent else {
        let shown = model::display_safe(id);
        let error = anyhow::anyhow!("there is no agent `{shown}`");
        return Err(Failure::from(error).hint("`abide agent ls` lists the agents"));
    };
    let version = version.map(str::parse::<Version>).transpose();
    Ok((agent, version.map_err(|error| Failure::from(anyhow::Error::from(error)))?))
}
