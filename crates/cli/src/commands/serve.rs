//! `abide serve`: the server of this data directory.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use home::Home;
use server::listen::{ListenError, parse_address};
use server::lock::LockError;
use server::{Options, WorkerDefaults};

use crate::failure::Failure;
use crate::own_program::host_program;
use crate::settings::Settings;
use crate::workers;

/// Start the server: the web UI and the API, for this machine only
///
/// Prints `ready` and a link for your browser when it accepts connections. Workers do not need the server: they keep
/// running when it ends, and it finds them again when it starts. `abide service install` starts it with your login.
#[derive(Args)]
pub(super) struct Serve {
    /// Listen on this loopback address and port; port 0 chooses a free one
    #[arg(long, value_name = "ADDR:PORT", value_parser = parse_address)]
    listen: Option<SocketAddr>,
}

impl Serve {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if let Err(error) = system::secrets::keep_memory_private() {
            eprintln!("warning: a core dump of the server could hold secrets: {error}");
        }
        let home = workers::home()?;
        let settings = Settings::read(&home)?;
        let options = options(home, settings, self.listen, host_program()?);
        server::run(options).map_err(failure)?;
        Ok(0)
    }
}

fn options(home: Home, settings: Settings, listen: Option<SocketAddr>, program: PathBuf) -> Options {
    Options {
        home,
        listen: listen.unwrap_or(settings.listen),
        workers: WorkerDefaults {
            program,
            size: settings.size,
            size_policy: settings.size_policy,
            grace_ms: settings.grace_ms,
            recording_bytes: settings.recording_mib << 20,
            mask: settings.mask,
            shell: settings.shell.map(PathBuf::from),
            shell_integration: settings.shell_integration,
            scope: settings.scope.is_wanted(),
            keeper: settings.keeper,
        },
        ping_interval: settings.terminal_ping_interval,
        pong_timeout: settings.terminal_pong_timeout,
        bearer_tokens: settings.bearer_tokens,
        notify: settings.notify,
        notify_quiet: settings.notify_quiet,
        stuck_after: settings.stuck_after,
    }
}

/// Why there is no server, and what to do about it.
fn failure(error: anyhow::Error) -> Failure {
    let hint = if let Some(error) = error.downcast_ref::<LockError>() {
        match error {
            LockError::Runs { .. } => {
                "`abide open` opens its web UI; a data directory can have only one server"
            }
            LockError::Busy => "try again in a moment",
            LockError::Io { .. } => "`abide doctor` checks the data directory",
        }
    } else if let Some(error) = error.downcast_ref::<ListenError>() {
        match error {
            ListenError::Taken(_) => "choose another port with `--listen`, or set `listen` in config.toml",
            ListenError::Given { .. } => {
                "give the socket unit `ListenStream=127.0.0.1:7433` and `ListenStream=[::1]:7433`, or other addresses of \
                 this machine with one port"
            }
            ListenError::NotAnAddress(_) | ListenError::BeyondLoopback(_) | ListenError::Io { .. } => {
                "use a loopback address, for example `--listen 127.0.0.1:0`"
            }
        }
    } else {
        "`abide doctor` checks the data directory"
    };
    Failure::from(error).hint(hint)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_flag_wins_over_the_setting_and_the_rest_is_handed_on() {
        let settings = Settings {
            recording_mib: 3,
            shell: Some("/bin/zsh".into()),
            terminal_ping_interval: Duration::from_millis(500),
            ..Settings::default()
        };
        let flag = parse_address("127.0.0.1:0").unwrap();
        let with = |listen| options(Home::at("/h"), settings.clone(), listen, "/p".into());
        assert_eq!(with(None).listen, settings.listen);
        let options = with(Some(flag));
        assert_eq!(options.listen, flag);
        assert_eq!(options.workers.recording_bytes, 3 << 20);
        assert_eq!(options.workers.shell.as_deref(), Some(std::path::Path::new("/bin/zsh")));
        assert_eq!(options.ping_interval, Duration::from_millis(500));
    }

    #[test]
    fn p7_a_second_server_names_the_first_one() {
        let failure = failure(LockError::Runs { url: "http://127.0.0.1:1".into(), pid: 7 }.into());
        assert!(failure.sentence().contains("process 7 at http://127.0.0.1:1"), "{failure:?}");
        assert!(failure.way_on().unwrap().contains("`abide open`"), "{failure:?}");
    }
}
