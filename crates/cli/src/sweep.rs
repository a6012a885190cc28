//! Recordings that were never sealed, because their host or the machine went down: found by the command that starts the
//! next worker.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use home::Home;

use crate::own_program::own_program;

/// Hosts are seldom killed, so looking once in a while is enough.
const EVERY: Duration = Duration::from_secs(3600);

/// Seals leftovers in a process of its own, if no command has looked for some since the machine was started, or for a
/// while. What fails is tried again with the next worker.
pub(crate) fn sweep_if_due(home: &Home) {
    let mark = home.sweep_mark();
    let swept = fs::metadata(&mark).and_then(|mark| mark.modified()).ok();
    if !is_due(swept, SystemTime::now(), system::machine::uptime()) {
        return;
    }
    let marked = File::options().write(true).create(true).truncate(true).mode(0o600).open(&mark);
    let marked = marked.and_then(|mark| mark.set_modified(SystemTime::now()));
    // Without a mark every process would sweep each time.
    if marked.is_ok()
        && let Ok(program) = own_program()
    {
        let mut command = Command::new(program);
        command.arg("seal").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // In a group of its own, Ctrl-C is not meant for it.
        if let Ok(mut sealing) = command.env("ABIDE_HOME", home.root()).process_group(0).spawn() {
            // Without it, a command that stays attached for days would keep a zombie. If the thread cannot start, that
            // is all.
            let _ = thread::Builder::new().spawn(move || sealing.wait());
        }
    }
}

fn is_due(swept: Option<SystemTime>, now: SystemTime, uptime: Duration) -> bool {
    let Some(swept) = swept else { return true };
    // A mark from the future was made before a clock was set back.
    now.duration_since(swept).map_or(true, |since| since >= EVERY.min(uptime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_due_after_a_boot_and_after_an_hour() {
        let now = SystemTime::now();
        let ago = |seconds| Some(now - Duration::from_secs(seconds));
        let long = Duration::from_secs(1_000_000);
        assert!(is_due(None, now, long));
        assert!(!is_due(ago(60), now, long));
        assert!(is_due(ago(3600), now, long));
        assert!(is_due(ago(60), now, Duration::from_secs(30)), "the machine was started meanwhile");
        assert!(is_due(Some(now + Duration::from_secs(60)), now, long), "the clock was set back");
    }
}
