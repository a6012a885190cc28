//! `abide upgrade`: upgrades running hosts to this release.

use clap::{ArgGroup, Args};
use home::Worker;
use protocol::{HostMessage, StatusReport, ViewerMessage};

use crate::commands::ls::with_life;
use crate::failure::{Failure, NO};
use crate::output;
use crate::own_program::host_program;
use crate::workers;
use viewer::reach::{self, Condition};

/// The release that we are.
pub(super) const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Upgrade running hosts to this release
///
/// The programs in them keep running. A host tests the new program first. If the new one cannot take over, the host
/// keeps the old one and says why.
#[derive(Args)]
#[command(group = ArgGroup::new("which").required(true))]
pub(super) struct Upgrade {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME", group = "which")]
    name: Option<String>,
    /// Upgrade the hosts of all live workers
    #[arg(long, group = "which")]
    all: bool,
    /// Also upgrade hosts that have this release already
    #[arg(long)]
    force: bool,
}

/// The result of the upgrade of one host.
enum Upgraded {
    /// It is of our release now, and was of this one.
    From(String),
    /// It was of our release already.
    Already,
}

impl Upgrade {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let program = host_program()?;
        let Some(program) = program.to_str() else {
            return Err(Failure::ours(format!(
                "the path of this program, `{}`, is not UTF-8",
                program.display()
            ))
            .hint("install abide in another directory"));
        };
        let chosen = match &self.name {
            Some(name) => {
                let worker = workers::called(&home, name)?;
                let condition = reach::condition(&worker.dir);
                vec![(worker, condition)]
            }
            None => with_life(&home)?,
        };
        let mut code = 0;
        for (worker, condition) in chosen {
            let upgraded = match condition {
                Condition::Live(report) => upgrade(&worker, &report, program, self.force),
                Condition::NotAnswering { pid } => Err(workers::not_answering(&worker, pid)),
                Condition::Exited(_) | Condition::Lost if self.all => continue,
                Condition::Exited(note) => Err(workers::ended_failure(&worker, note.status)),
                Condition::Lost => Err(workers::unreached(&worker, reach::Unreached::Lost)),
            };
            match upgraded {
                Ok(Upgraded::From(release)) => {
                    let release = model::display_safe(&release);
                    output::write(format!("{}: {release} → {RELEASE}\n", worker.meta.name))?;
                }
                Ok(Upgraded::Already) => {
                    output::write(format!("{}: has {RELEASE} already\n", worker.meta.name))?;
                }
                Err(failure) => {
                    failure.tell();
                    code = NO;
                }
            }
        }
        Ok(code)
    }
}

fn upgrade(worker: &Worker, report: &StatusReport, program: &str, force: bool) -> Result<Upgraded, Failure> {
    if report.release == RELEASE && !force {
        return Ok(Upgraded::Already);
    }
    let (mut connection, _) = workers::attach(worker, &workers::quietly("upgrade", false, 0))?;
    let question = ViewerMessage::Upgrade(protocol::Upgrade { program: program.to_owned() });
    if connection.send(&question).is_ok() {
        loop {
            match connection.receive() {
                Ok(Some(HostMessage::Refused(refused))) => return Err(workers::refusal(worker, &refused)),
                Ok(Some(HostMessage::Exited(exited))) => {
                    return Err(workers::ended_failure(worker, exited.status));
                }
                // The new program sends its status to the viewer that asked for the upgrade.
                Ok(Some(HostMessage::Status(now))) => return upgraded(worker, report, &now),
                Ok(None) | Err(_) => break,
                Ok(Some(_)) => {}
            }
        }
    }
    // The connection did not outlast the old program.
    match reach::condition(&worker.dir) {
        Condition::Live(now) => upgraded(worker, report, &now),
        Condition::NotAnswering { pid } => Err(workers::not_answering(worker, pid)),
        Condition::Exited(note) => Err(workers::ended_failure(worker, note.status)),
        Condition::Lost => Err(workers::unreached(worker, reach::Unreached::Lost)),
    }
}

fn upgraded(worker: &Worker, before: &StatusReport, now: &StatusReport) -> Result<Upgraded, Failure> {
    if now.release == RELEASE {
        return Ok(Upgraded::From(before.release.clone()));
    }
    let (name, release) = (&worker.meta.name, model::display_safe(&now.release));
    Err(Failure::no(format!("the host of worker `{name}` keeps release {release}"))
        .hint(format!("its log says why: {}", worker.dir.log().display())))
}
