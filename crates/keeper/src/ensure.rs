//! Seeing to it that a keeper runs.

use std::env;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use home::Home;
use model::WorkerId;

/// What the keeper says when it has understood.
pub(crate) const HEARD: &[u8] = b"ok\n";

/// What it is told when it shall look at all workers again.
pub(crate) const LOOK: &str = "look";

/// A keeper that says nothing for so long is about to leave.
const ANSWER: Duration = Duration::from_secs(2);

/// What a keeper needs of the environment: where things are, and how to reach the service manager.
const VARIABLES: &[&str] =
    &["DBUS_SESSION_BUS_ADDRESS", "HOME", "LANG", "PATH", "USER", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"];

/// Tells the keeper of a worker; starts one if none runs.
///
/// # Errors
///
/// When none runs and none can be started.
pub fn ensure(home: &Home, worker: WorkerId, program: &Path, scope: bool) -> io::Result<()> {
    if tell(home, worker.as_str()).is_ok() {
        return Ok(());
    }
    let log = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(home.keeper_log())?;
    let mut command = if scope {
        let mut run = Command::new("systemd-run");
        run.args(["--user", "--scope", "--quiet", "--collect", "--"]).arg(program);
        run
    } else {
        Command::new(program)
    };
    command.arg("keeper").env_clear();
    command.envs(VARIABLES.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    command.env("ABIDE_HOME", home.root()).env("MALLOC_ARENA_MAX", "1").current_dir(home.root());
    if scope {
        command.env("ABIDE_SCOPE", "auto");
    }
    // It detaches from us by itself, and the process that becomes its parent collects it.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(OwnedFd::from(log))).spawn()?;
    Ok(())
}

/// Tells a running keeper something, and waits until it has understood.
pub(crate) fn tell(home: &Home, word: &str) -> io::Result<()> {
    let mut stream: UnixStream = viewer::connect(&home.keeper_socket()).map_err(io::Error::other)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.write_all(format!("{word}\n").as_bytes())?;
    let mut answer = [0; HEARD.len()];
    stream.read_exact(&mut answer)?;
    if answer == HEARD { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}
