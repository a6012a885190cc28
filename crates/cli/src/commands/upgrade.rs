//! `abide upgrade`: hosts go on as this release.

use clap::{ArgGroup, Args};
use home::Worker;
use protocol::{HostMessage, StatusReport, ViewerMessage};

use crate::commands::ls::with_life;
use crate::failure::{Failure, NO};
use crate::output;
use crate::own_program::host_program;
use crate::workers;
use reach::Life;

/// The release that we are.
pub(super) const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Let running hosts go on as this release
///
/// Their children do not notice. A host tries the new program out first; if that is not fit to take over, it runs on as
/// it is and says why.
#[derive(Args)]
#[command(group = ArgGroup::new("which").required(true))]
pub(super) struct Upgrade {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME", group = "which")]
    name: Option<String>,
    /// All live workers
    #[arg(long, group = "which")]
    all: bool,
    /// Also hosts that are of this release already
    #[arg(long)]
    force: bool,
}

/// What became of a host.
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
                let life = reach::life(&worker.dir);
                vec![(worker, life)]
            }
            None => with_life(&home)?,
        };
        let mut code = 0;
        for (worker, life) in chosen {
            let upgraded = match life {
                Life::Live(report) => upgrade(&worker, &report, program, self.force),
                Life::NotAnswering { pid } => Err(workers::not_answering(&worker, pid)),
                Life::Exited(_) | Life::Lost if self.all => continue,
                Life::Exited(note) => Err(workers::has_ended(&worker, note.status)),
                Life::Lost => Err(workers::unreached(&worker, reach::Unreached::Lost)),
            };
            match upgraded {
                Ok(Upgraded::From(release)) => {
                    let release = model::display_safe(&release);
                    output::write(format!("{}: {release} → {RELEASE}\n", worker.meta.name))?;
                }
                Ok(Upgraded::Already) => {
                    output::write(format!("{}: is {RELEASE} already\n", worker.meta.name))?;
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
                    return Err(workers::has_ended(worker, exited.status));
                }
                // The new program says who it is to whoever asked for it.
                Ok(Some(HostMessage::Status(now))) => return upgraded(worker, report, &now),
                Ok(None) | Err(_) => break,
                Ok(Some(_)) => {}
            }
        }
    }
    // The connection did not outlast the old program.
    match reach::life(&worker.dir) {
        Life::Live(now) => upgraded(worker, report, &now),
        Life::NotAnswering { pid } => Err(workers::not_answering(worker, pid)),
        Life::Exited(note) => Err(workers::has_ended(worker, note.status)),
        Life::Lost => Err(workers::unreached(worker, reach::Unreached::Lost)),
    }
}

fn upgraded(worker: &Worker, before: &StatusReport, now: &StatusReport) -> Result<Upgraded, Failure> {
    if now.release == RELEASE {
        return Ok(Upgraded::From(before.release.clone()));
    }
    let (name, release) = (&worker.meta.name, model::display_safe(&now.release));
    Err(Failure::no(format!("the host of worker `{name}` runs on as {release}"))
        .hint(format!("its log says why: {}", worker.dir.log().display())))
}
