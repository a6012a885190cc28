//! The environment of the workers that the server starts: the one of the user's login.
//!
//! A service manager gives the server a bare environment; a terminal gives it the environment of that day. So the node
//! asks the login shell, once.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// The node waits this long for the user's profile.
const PATIENCE: Duration = Duration::from_secs(5);

/// Printed between the output of profiles and the environment.
const MARK: &[u8] = b"abide-environment\n";

/// No environment is larger.
const MOST_BYTES: u64 = 4 << 20;

/// The variables that a login needs, and those that name the user's own services.
const GIVEN: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SSH_AUTH_SOCK",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

/// The environment that a login shell prints; the server's own one if it prints none in time.
pub(super) fn of_login(shell: &OsStr) -> Vec<(OsString, OsString)> {
    ask(shell).unwrap_or_else(|| env::vars_os().collect())
}

fn ask(shell: &OsStr) -> Option<Vec<(OsString, OsString)>> {
    let mut child = Command::new(shell)
        .args(["-l", "-c", "echo abide-environment; exec env -0"])
        .env_clear()
        .envs(GIVEN.iter().filter_map(|name| Some((name, env::var_os(name)?))))
        .current_dir(env::var_os("HOME").unwrap_or_else(|| "/".into()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?.take(MOST_BYTES);
    let (told, heard) = channel();
    // Without a thread the sender is dropped, and receiving fails at once.
    let _ = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // After the deadline there is no receiver.
        let _ = told.send(output.read_to_end(&mut bytes).map(|_| bytes));
    });
    let bytes = heard.recv_timeout(PATIENCE).ok().and_then(Result::ok);
    end(child);
    parse(&bytes?)
}

/// Ends the shell, with everything that a profile started in its group.
fn end(mut child: Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group may have ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn parse(bytes: &[u8]) -> Option<Vec<(OsString, OsString)>> {
    let at = bytes.windows(MARK.len()).rposition(|window| window == MARK)? + MARK.len();
    let variable = |entry: &[u8]| {
        let equals = entry.iter().position(|&byte| byte == b'=')?;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        Some((text(&entry[..equals]), text(&entry[equals + 1..])))
    };
    let variables: Vec<_> = bytes[at..].split(|&byte| byte == 0).filter_map(variable).collect();
    variables.iter().any(|(name, _)| name.as_bytes() == b"PATH").then_some(variables)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_profiles_print_is_not_part_of_it() {
        let bytes = b"Welcome!\nA=1\nabide-environment\nPATH=/bin\0EMPTY=\0LINES=a\nb=c\0";
        let expected = [("PATH", "/bin"), ("EMPTY", ""), ("LINES", "a\nb=c")];
        let expected = expected.map(|(name, value)| (name.into(), value.into())).to_vec();
        assert_eq!(parse(bytes), Some(expected));
        assert_eq!(parse(b"PATH=/bin\0"), None, "no mark, no environment");
    }

    #[test]
    fn n3_a_shell_that_is_missing_or_says_nothing_leaves_our_own() {
        let own: Vec<_> = env::vars_os().collect();
        assert_eq!(of_login(OsStr::new("/no/such/shell")), own);
        let dir = tempfile::tempdir().unwrap();
        let silent = dir.path().join("silent");
        fs::write(&silent, "#!/bin/sh\nexit 0\n").unwrap();
        fs::set_permissions(&silent, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(of_login(silent.as_os_str()), own);
    }

    #[test]
    fn a_login_shell_is_asked() {
        let variables = of_login(OsStr::new("/bin/sh"));
        assert!(variables.iter().any(|(name, _)| name == "PATH"));
    }
}
