//! Server, hosts and keeper in one program, for tests that want all of them real.
//!
//! `house serve PING_MS PONG_MS KEEPER` serves `ABIDE_HOME`; it starts itself as `house host` and `house keeper`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::time::Duration;

use home::{Home, Meta};
use model::{MaskPolicy, SizePolicy, TermSize};
use notify::Destinations;
use server::{Options, WorkerDefaults};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        Some("host") => host::main(arguments),
        Some("keeper") => keeper::main(system::memory::give_back),
        Some("serve") => match serve(arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        },
        _ => ExitCode::from(2),
    }
}

fn serve(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let words: Vec<String> = arguments.map(|word| word.to_string_lossy().into_owned()).collect();
    let [ping, pong, keeper] = &words[..] else { anyhow::bail!("serve PING_MS PONG_MS KEEPER") };
    server::run(Options {
        home: Home::find()?,
        listen: ([127, 0, 0, 1], 0).into(),
        workers: WorkerDefaults {
            program: env::current_exe()?,
            size: TermSize::clamped(80, 24),
            size_policy: SizePolicy::default(),
            grace_ms: 500,
            recording_bytes: Meta::RECORDING_BYTES,
            mask: MaskPolicy::default(),
            shell: Some("/bin/sh".into()),
            shell_integration: false,
            scope: false,
            keeper: keeper.parse()?,
        },
        ping_interval: Duration::from_millis(ping.parse()?),
        bearer_tokens: true,
        notify: Destinations::default(),
        notify_quiet: None,
        stuck_after: std::time::Duration::from_secs(600),
        pong_timeout: Duration::from_millis(pong.parse()?),
    })
}
