//! The text of the unit.

use std::path::Path;

use crate::failure::Failure;

/// Begins the first line; behind it is the checksum of all other lines.
const MARK: &str = "# Written by `abide service install`, which leaves it alone once you have changed it: ";

/// The unit that `abide service install` writes: that of [`plain`], with a mark by which a change to it is noticed.
///
/// # Errors
///
/// When a path cannot be written in a unit.
pub(super) fn text(program: &Path, home: Option<&Path>) -> Result<String, Failure> {
    let rest = plain(program, home)?;
    Ok(format!("{MARK}{}\n{rest}", checksum(&rest)))
}

/// The unit of a server that is this program and serves this data directory; if nothing is said, the user's default.
///
/// # Errors
///
/// When a path cannot be written in a unit.
pub(super) fn plain(program: &Path, home: Option<&Path>) -> Result<String, Failure> {
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

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn a_unit_runs_this_program_and_ends_nothing_but_the_server() {
        let text = text(Path::new("/usr/bin/abide"), None).unwrap();
        let lines = lines(&text);
        for line in ["ExecStart=\"/usr/bin/abide\" serve", "KillMode=process", "StandardOutput=null"] {
            assert!(lines.contains(&line), "{line}:\n{text}");
        }
        assert!(!text.contains("Environment"), "{text}");
    }

    #[test]
    fn n1_odd_paths_are_escaped_or_refused() {
        let text = text(Path::new(r#"/a b/50%"\abide"#), Some(Path::new("/my data"))).unwrap();
        assert!(lines(&text).contains(&r#"ExecStart="/a b/50%%\"\\abide" serve"#), "{text}");
        assert!(lines(&text).contains(&r#"Environment="ABIDE_HOME=/my data""#), "{text}");
        for odd in [&b"/a\nExecStartPre=/bin/sh"[..], b"/caf\xe9"] {
            let path = Path::new(OsStr::from_bytes(odd));
            assert!(super::text(path, None).is_err() && super::text(Path::new("/p"), Some(path)).is_err());
        }
    }

    #[test]
    fn a_changed_unit_is_recognised() {
        let text = text(Path::new("/usr/bin/abide"), Some(Path::new("/h"))).unwrap();
        assert!(is_as_written(&text));
        assert!(!is_as_written(&text.replace("RestartSec=1", "RestartSec=2")));
        assert!(!is_as_written(&format!("{text}\n")));
        assert!(!is_as_written("[Service]\nExecStart=/bin/abide serve\n") && !is_as_written(""));
    }

    #[test]
    fn systemd_accepts_the_unit() {
        let dir = tempfile::tempdir().unwrap();
        let unit = dir.path().join("abide.service");
        std::fs::write(&unit, text(Path::new("/bin/sh"), Some(Path::new("/a b/50%"))).unwrap()).unwrap();
        let mut verify = std::process::Command::new("systemd-analyze");
        verify.args(["--user", "--man=no", "verify"]).arg(&unit);
        verify.env("HOME", dir.path()).env("XDG_RUNTIME_DIR", dir.path());
        let Some(verified) = verify.output().ok().filter(|verified| verified.status.success()) else {
            return testkit::skip("no systemd-analyze that can verify a user's unit");
        };
        let words = String::from_utf8_lossy(&verified.stderr);
        assert!(!words.contains("abide.service"), "{words}");
    }
}
