//! `abide agent ls`: the agents that abide knows.

use std::env;
use std::path::Path;

use agents::Agent;
use clap::Args;
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};

/// List the agents that abide knows, and which of them are installed
#[derive(Args)]
pub(in crate::commands) struct Ls {
    /// Print a JSON array with an object for each agent
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    id: &'a str,
    name: &'a str,
    command: &'a [String],
    aliases: Vec<&'a str>,
    installed: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let agents = super::agents()?;
        let listed: Vec<Listed<'_>> = agents.all().map(listed).collect();
        output::write_list(&listed, self.json, "no agents", |listed| Ok(list(listed)))?;
        Ok(0)
    }
}

fn listed(agent: &Agent) -> Listed<'_> {
    Listed {
        id: agent.id.as_str(),
        name: &agent.name,
        command: &agent.command,
        aliases: agent.aliases.iter().map(agents::AgentId::as_str).collect(),
        installed: agent.command.first().is_some_and(|program| is_installed(program)),
    }
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    Path::new(program).is_absolute() && Path::new(program).is_file()
        || env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn list(agents: &[Listed<'_>]) -> String {
    let heading = ["ID", "NAME", "INSTALLED", "COMMAND"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(agents.iter().map(|agent| {
        [
            agent.id.into(),
            agent.name.into(),
            if agent.installed { "yes".into() } else { Cell::new("no", Tint::Faint) },
            model::display_safe(&agent.command.join(" ")).into(),
        ]
    }));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}
