//! The probe: a new program shows that it can take over, before the host hands anything over.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use home::WorkerDir;
use rustix::process::geteuid;
use system::Process;

use super::resume::terminal;
use super::state::read_state;

/// How long a new program has to read the state.
pub(super) const PROBING: Duration = Duration::from_secs(10);

/// No program that can read the state says more.
const MOST_SAID_BYTES: u64 = 4096;

/// What the new program says when it can read the state.
const FIT: &str = "fit";

/// Whether we may become this program: it is the user's or root's, and no other user can change it.
pub(super) fn check_trustworthy(program: &Path) -> Result<(), String> {
    let name = program.display();
    if !program.is_absolute() {
        return Err(format!("`{name}` is not an absolute path"));
    }
    let file = fs::metadata(program).map_err(|error| format!("cannot look at `{name}`: {error}"))?;
    let is_ours = file.uid() == geteuid().as_raw() || file.uid() == 0;
    if !file.is_file() || !is_ours || file.mode() & 0o022 != 0 {
        return Err(format!("`{name}` is not a program that only you or root can change"));
    }
    Ok(())
}

/// Runs the new program on the state, and hears what it says.
pub(super) fn run_probe(program: &Path, state: File) -> Result<(), String> {
    let name = program.display();
    let cannot = |error: io::Error| format!("cannot run `{name}`: {error}");
    let mut command = Command::new(program);
    command.args(["host", "--probe"]).stdin(Stdio::from(state)).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut probe = command.spawn().map_err(cannot)?;
    let process = Process::open(probe.id());
    let ended =
        process.and_then(|process| process.ends_before(Some(Instant::now() + PROBING))).unwrap_or(false);
    if !ended {
        let _ = probe.kill();
    }
    let status = probe.wait().map_err(cannot)?;
    let mut said = Vec::new();
    if let Some(output) = probe.stdout.take() {
        // A process that it started may hold the pipe open and write nothing. The probe has ended, so do not wait for
        // that.
        rustix::io::ioctl_fionbio(&output, true).map_err(|error| cannot(error.into()))?;
        let _ = output.take(MOST_SAID_BYTES).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    if status.success() && said.trim() == FIT {
        Ok(())
    } else {
        Err(format!("`{name}` cannot read the state of this host: {}", model::display_safe(said.trim())))
    }
}

/// `host --probe`: says whether this program could take over the state on standard input.
pub(crate) fn probe() -> ExitCode {
    let read = read_state(&mut io::stdin().lock()).and_then(|(state, screen, _)| {
        WorkerDir::at(&state.dir).ok_or(io::ErrorKind::NotFound)?.meta()?;
        Ok(terminal(state.size, &screen).size() == state.size)
    });
    match read {
        Ok(true) => {
            println!("{FIT}");
            ExitCode::SUCCESS
        }
        Ok(false) => {
            println!("it restores a different screen");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
