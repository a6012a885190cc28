//! `abide attach`: somebody's terminal shows a worker.

use std::os::unix::net::UnixStream;

use clap::Args;
use home::{Home, Worker};

use crate::attach;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::workers;
use reach::Life;

/// Attach to a worker
///
/// Your terminal shows the worker's, and what you type goes to it. Ctrl-\ d, unless set otherwise, detaches. The exit
/// code is the child's if it ended, and 0 if you detached.
#[derive(Args)]
pub(super) struct Attach {
    /// The worker's name, or the beginning of its id; the only live one, if nothing is said
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Only watch: what you type is not sent
    #[arg(long, short)]
    read_only: bool,
}

impl Attach {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let settings = Settings::read(&home)?;
        let worker = match &self.name {
            Some(name) => workers::called(&home, name)?,
            None => only_live_one(&home)?,
        };
        attach(worker, None, self.read_only, &settings)
    }
}

/// Shows a worker in our terminal, over the connection that whoever started it already has.
pub(super) fn attach(
    worker: Worker,
    stream: Option<UnixStream>,
    read_only: bool,
    settings: &Settings,
) -> Result<u8, Failure> {
    attach::run(attach::Request { worker, stream, read_only, detach: settings.detach_key })
}

/// The one worker that a person can only mean.
fn only_live_one(home: &Home) -> Result<Worker, Failure> {
    let workers = home.workers().map_err(|error| Failure::from(anyhow::Error::from(error)))?;
    let is_live =
        |worker: &Worker| matches!(reach::life(&worker.dir), Life::Live(_) | Life::NotAnswering { .. });
    let mut live: Vec<Worker> = workers.into_iter().filter(is_live).collect();
    match live.len() {
        0 => Err(Failure::ours("there is no live worker").hint("`abide new` starts one")),
        1 => Ok(live.remove(0)),
        _ => {
            let names: Vec<&str> = live.iter().map(|worker| worker.meta.name.as_str()).collect();
            Err(Failure::ours(format!("there are several live workers: {}", names.join(", ")))
                .hint("name the one to attach"))
        }
    }
}
