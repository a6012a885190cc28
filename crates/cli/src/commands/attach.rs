//! `abide attach`: a person's terminal shows a worker.

use std::os::unix::net::UnixStream;

use clap::Args;
use home::{Home, Worker};

use crate::attach;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::workers;
use viewer::reach::{self, Condition};

/// Attach to a worker
///
/// Your terminal shows the worker's screen, and abide sends the worker what you type. Ctrl-\ d detaches, unless you set
/// another key. abide exits with the child's exit code if the child ended, and with 0 if you detached.
#[derive(Args)]
pub(super) struct Attach {
    /// The worker's name, or the beginning of its id; not needed if only one worker is live
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Only watch; do not send what you type
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

/// Shows a worker in our terminal, over the connection that its starter already has.
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
    let is_live = |worker: &Worker| {
        matches!(reach::condition(&worker.dir), Condition::Live(_) | Condition::NotAnswering { .. })
    };
    let mut live: Vec<Worker> = workers.into_iter().filter(is_live).collect();
    match live.len() {
        0 => Err(Failure::ours("no worker is live").hint("`abide new` starts one")),
        1 => Ok(live.remove(0)),
        _ => {
            let names: Vec<&str> = live.iter().map(|worker| worker.meta.name.as_str()).collect();
            Err(Failure::ours(format!("there are several live workers: {}", names.join(", ")))
                .hint("name the one to attach to"))
        }
    }
}
