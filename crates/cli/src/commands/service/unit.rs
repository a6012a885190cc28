//! The texts of the units.

use std::net::SocketAddr;
use std::path::Path;

use server::listen::browsers_addresses;

use super::place::{SERVICE, SOCKET};
use crate::failure::Failure;

/// Begins the first line; behind it is the checksum of all other lines.
const MARK: &str = "# Written by `abide service install`, which leaves it alone once you have changed it: ";

/// A file that systemd reads.
pub(super) struct Unit {
    /// Its file name.
    pub(super) name: &'static str,
    /// Its text, for a package.
    pub(super) text: String,
}

impl Unit {
    /// The text that `abide service install` writes, with a mark by which a change to it is noticed.
    pub(super) fn marked(&self) -> String {
        format!("{MARK}{}\n{}", checksum(&self.text), self.text)
    }
}

/// The units of a server that is this program, serves this data directory and listens here. If no directory is given, it
/// is the default one of the user.
///
/// # Errors
///
/// When a path cannot be written in a unit.
pub(super) fn units(program: &Path, home: Option<&Path>, listen: SocketAddr) -> Result<[Unit; 2], Failure> {
    let socket = Unit { name: SOCKET, text: socket(listen) };
    Ok([socket, Unit { name: SERVICE, text: service(program, home)? }])
}

/// The unit of the server.
fn service(program: &Path, home: Option<&Path>) -> Result<String, Failure> {
    let environment = match home {
        Some(home) => format!("Environment={}\n", quoted(&format!("ABIDE_HOME={}", as_text(home)?))),
        None => String::new(),
    };
    let program = quoted(as_text(program)?);
    Ok(format!(
        "\
[Unit]
Description=abide: terminals and coding agents that stay
Documentation=man:abide-serve(1)

[Service]
Type=exec
ExecStart={program} serve
{environment}Restart=on-failure
RestartSec=1

# systemd holds the port, also while no server runs.
Sockets={SOCKET}

# The server prints a link that signs in the first reader, so it is not kept. `abide open` makes another.
StandardOutput=null

# Only the server ends with the service. Terminals keep running, also those without a scope of their own, and also when
# one of them runs out of memory.
KillMode=process
OOMPolicy=continue

# Nothing is locked away from the server: the terminals that it starts would inherit that.

[Install]
WantedBy=default.target
"
    ))
}

/// The unit of the port.
fn socket(listen: SocketAddr) -> String {
    let streams: String =
        browsers_addresses(listen).iter().map(|address| format!("ListenStream={address}\n")).collect();
    format!(
        "\
[Unit]
Description=abide: the port of the server
Documentation=man:abide-serve(1)

# While no server runs, connections wait here for the next one, and no other program can listen in its place.
[Socket]
{streams}# An address that this machine does not have yet keeps nobody from the other.
FreeBind=yes

[Install]
WantedBy=sockets.target
"
    )
}

/// Whether a unit's text is as this or another release wrote it.
pub(super) fn is_as_written(text: &str) -> bool {
    text.split_once('\n').is_some_and(|(first, rest)| first.strip_prefix(MARK) == Some(&checksum(rest)))
}

/// A word of a unit, with everything that means something there as itself.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%"))
}

fn as_text(path: &Path) -> Result<&str, Failure> {
    path.to_str().filter(|text| !text.contains(char::is_control)).ok_or_else(|| {
        let shown = model::display_safe(&path.to_string_lossy());
        Failure::ours(format!("the path `{shown}` cannot be written in a unit"))
            .hint("use a path of plain characters")
    })
}

/// Detects changed texts, but not forged ones: FNV-1a, of 64 bits.
fn checksum(text: &str) -> String {
    let sum = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    const HERE: &str = "127.0.0.1:7433";

    fn units(program: &Path, home: Option<&Path>) -> Result<[Unit; 2], Failure> {
        super::units(program, home, HERE.parse().unwrap())
    }

    fn text(program: &str, home: Option<&str>) -> String {
        let [_, service] = units(Path::new(program), home.map(Path::new)).unwrap();
        service.marked()
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn a_unit_runs_this_program_and_ends_nothing_but_the_server() {
        let text = text("/usr/bin/abide", None);
        let lines = lines(&text);
        for line in ["ExecStart=\"/usr/bin/abide\" serve", "KillMode=process", "StandardOutput=null"] {
            assert!(lines.contains(&line), "{line}:\n{text}");
        }
        assert!(!text.contains("Environment"), "{text}");
    }

    #[test]
    fn s18_the_socket_unit_holds_all_names_of_the_port() {
        let text = |listen: &str| socket(listen.parse().unwrap());
        for listen in [HERE, "[::1]:7433"] {
            let text = text(listen);
            let lines = lines(&text);
            for line in ["ListenStream=127.0.0.1:7433", "ListenStream=[::1]:7433"] {
                assert!(lines.contains(&line), "{line}:\n{text}");
            }
        }
        assert_eq!(text("127.0.0.2:80").matches("ListenStream=").count(), 1);
    }

    #[test]
    fn n1_odd_paths_are_escaped_or_refused() {
        let text = text(r#"/a b/50%"\abide"#, Some("/my data"));
        assert!(lines(&text).contains(&r#"ExecStart="/a b/50%%\"\\abide" serve"#), "{text}");
        assert!(lines(&text).contains(&r#"Environment="ABIDE_HOME=/my data""#), "{text}");
        for odd in [&b"/a\nExecStartPre=/bin/sh"[..], b"/caf\xe9"] {
            let path = Path::new(OsStr::from_bytes(odd));
            assert!(units(path, None).is_err() && units(Path::new("/p"), Some(path)).is_err());
        }
    }

    #[test]
    fn a_changed_unit_is_recognised() {
        let text = text("/usr/bin/abide", Some("/h"));
        assert!(is_as_written(&text));
        assert!(!is_as_written(&text.replace("RestartSec=1", "RestartSec=2")));
        assert!(!is_as_written(&format!("{text}\n")));
        assert!(!is_as_written("[Service]\nExecStart=/bin/abide serve\n") && !is_as_written(""));
    }

    #[test]
    fn systemd_accepts_the_units() {
        let dir = tempfile::tempdir().unwrap();
        let paths = units(Path::new("/bin/sh"), Some(Path::new("/a b/50%"))).unwrap().map(|unit| {
            let path = dir.path().join(unit.name);
            std::fs::write(&path, unit.marked()).unwrap();
            path
        });
        let mut verify = std::process::Command::new("systemd-analyze");
        verify.args(["--user", "--man=no", "verify"]).args(&paths);
        verify.env("HOME", dir.path()).env("XDG_RUNTIME_DIR", dir.path());
        let Some(verified) = verify.output().ok().filter(|verified| verified.status.success()) else {
            return testkit::skip("no systemd-analyze that can verify a user's unit");
        };
        let words = String::from_utf8_lossy(&verified.stderr);
        assert!(!words.contains("abide."), "{words}");
    }
}
