//! The terms on which git runs: what it may know of our environment, and which settings it must not take from a
//! repository.
//!
//! A repository's own configuration can name programs for many occasions. Settings in the environment overrule it, and
//! unlike arguments (`-c`) they can name any section, with any characters in it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::overruled::Setting;

/// What git does for us, and so what it may run on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Names, refs and commits are read.
    Look,
    /// Files are compared with the commit. Filters would have a say in that, so they are off.
    Compare,
    /// Refs or the lists of worktrees are changed.
    Change,
    /// Files are written into a new worktree. The user's own filters, such as those for large files, belong to that, and
    /// may need the network. Git itself does not: it fetches no missing objects. Hooks do not belong to it, and nothing
    /// that the repository names does.
    Checkout,
}

/// Variables that git gets if we have them: where it finds programs and the user's own settings.
const KEPT: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];
/// The same, for a checkout: what a filter takes that fetches large files.
const KEPT_FOR_CHECKOUT: &[&str] = &[
    "SSH_AUTH_SOCK",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
];
/// Where programs are by default.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Variables that hold for every run: English, no questions, no locks for our convenience, no transport. A repository
/// names the programs of its transports in many ways (`core.sshCommand`, `ext::`, `url.*.insteadOf` and others), so git
/// gets no objects from elsewhere.
const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];
/// The same, for every run but a checkout: there are no filters that could connect to another machine.
const VARIABLES_OFFLINE: &[(&str, &str)] = &[("GIT_SSH_COMMAND", "false")];

/// Settings that hold for every run.
///
/// An empty `diff.external` makes a comparison fail that forgot to switch it off. Caches of the work tree may be stale
/// or made up, and what they hide would be lost.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.ignoreStat", "false"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.askPass", ""),
    ("core.quotePath", "false"),
    ("color.ui", "false"),
    ("diff.external", ""),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("sequence.editor", "true"),
    ("submodule.recurse", "false"),
    ("worktree.guessRemote", "false"),
];
/// The same, for every run but a checkout.
const SETTINGS_OFFLINE: &[(&str, &str)] = &[("core.sshCommand", "false"), ("credential.helper", "")];

/// What of our environment git may see, picked once.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    kept: Vec<(OsString, OsString)>,
}

impl Surroundings {
    pub(crate) fn of(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Surroundings {
        let is_kept = |name: &OsStr| {
            let is = |list: &[&str]| list.iter().any(|kept| name == *kept);
            name == "PATH" || is(KEPT) || is(KEPT_FOR_CHECKOUT)
        };
        let mut kept: Vec<_> = environment.into_iter().filter(|(name, _)| is_kept(name)).collect();
        match kept.iter_mut().find(|(name, _)| name == "PATH") {
            Some((_, path)) => *path = absolute_entries(path),
            None => kept.push(("PATH".into(), DEFAULT_PATH.into())),
        }
        Surroundings { kept }
    }

    pub(crate) fn path(&self) -> &OsStr {
        self.kept.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, path)| path)
    }

    /// The whole environment of one run.
    pub(crate) fn variables(&self, mode: Mode, overruled: &[Setting]) -> Vec<(OsString, OsString)> {
        let online = mode == Mode::Checkout;
        let is_for_checkout = |name: &OsStr| KEPT_FOR_CHECKOUT.iter().any(|kept| name == *kept);
        let mut variables: Vec<(OsString, OsString)> =
            self.kept.iter().filter(|(name, _)| online || !is_for_checkout(name)).cloned().collect();
        let offline = if online { [].as_slice() } else { VARIABLES_OFFLINE };
        variables.extend(VARIABLES.iter().chain(offline).map(|(name, value)| (name.into(), value.into())));

        let offline = if online { [].as_slice() } else { SETTINGS_OFFLINE };
        let fixed =
            SETTINGS.iter().chain(offline).map(|(key, value)| (OsString::from(key), OsString::from(value)));
        let mut count = 0;
        for (key, value) in fixed.chain(overruled.iter().cloned()) {
            variables.push((format!("GIT_CONFIG_KEY_{count}").into(), key));
            variables.push((format!("GIT_CONFIG_VALUE_{count}").into(), value));
            count += 1;
        }
        variables.push(("GIT_CONFIG_COUNT".into(), count.to_string().into()));
        variables
    }
}

/// A `PATH` without entries that mean another directory in every repository.
fn absolute_entries(path: &OsStr) -> OsString {
    let entries = path.as_bytes().split(|&byte| byte == b':').filter(|entry| entry.starts_with(b"/"));
    OsString::from_vec(entries.collect::<Vec<_>>().join(&b':'))
}

/// The program of this name in an absolute directory of the `PATH`.
pub(crate) fn on_path(path: &OsStr, name: &str) -> Option<PathBuf> {
    let directories = path.as_bytes().split(|&byte| byte == b':').filter(|entry| entry.starts_with(b"/"));
    let mut candidates = directories.map(|directory| Path::new(OsStr::from_bytes(directory)).join(name));
    candidates.find(|program| access(program, Access::EXEC_OK).is_ok() && program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Surroundings {
        Surroundings::of(pairs.iter().map(|(name, value)| (name.into(), value.into())))
    }

    fn value(surroundings: &Surroundings, mode: Mode, name: &str) -> Option<OsString> {
        surroundings.variables(mode, &[]).into_iter().find(|(there, _)| there == name).map(|(_, value)| value)
    }

    #[test]
    fn s36_the_environment_is_built_not_inherited() {
        let ours = environment(&[
            ("PATH", ".:/bin::relative:/usr/bin"),
            ("HOME", "/h"),
            ("GIT_DIR", "/elsewhere"),
            ("GIT_EXTERNAL_DIFF", "trap"),
            ("LD_PRELOAD", "trap"),
            ("ABIDE_TOKEN", "secret"),
            ("SSH_AUTH_SOCK", "/agent"),
        ]);
        assert_eq!(value(&ours, Mode::Look, "PATH"), Some("/bin:/usr/bin".into()));
        assert_eq!(value(&ours, Mode::Look, "HOME"), Some("/h".into()));
        for name in ["GIT_DIR", "GIT_EXTERNAL_DIFF", "LD_PRELOAD", "ABIDE_TOKEN"] {
            assert_eq!(value(&ours, Mode::Checkout, name), None, "{name}");
        }
        assert_eq!(value(&ours, Mode::Look, "SSH_AUTH_SOCK"), None);
        assert_eq!(value(&ours, Mode::Checkout, "SSH_AUTH_SOCK"), Some("/agent".into()));
        assert_eq!(value(&environment(&[]), Mode::Look, "PATH"), Some(DEFAULT_PATH.into()));
    }
}
