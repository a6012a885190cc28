//! Settings that are overruled by name: those that would have git, or a filter that git starts, run programs of the
//! repository's choice.
//!
//! Who wrote a setting decides. Settings of the machine and of the user (the scopes *system* and *global*) are the
//! user's own. All other settings are the repository's, also those of files that it includes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::error::GitError;
use crate::git::Git;
use crate::settings::Mode;

/// More than any person has. Each takes room in the environment, which is bounded.
const MOST: usize = 200;

/// A setting, and what it is overruled with.
pub(crate) type Setting = (OsString, OsString);

/// What a filter is, and what it is when it is off.
const FILTER: &[(&str, &str)] = &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

impl Git {
    /// All settings in force in a directory, each with its scope. Reading them runs nothing.
    pub(crate) fn settings(&self, dir: &Path) -> Result<Vec<u8>, GitError> {
        self.look(dir).args(["config", "--list", "--show-scope", "-z", "--includes"]).bytes()
    }

    /// What to overrule for a run in this directory.
    pub(crate) fn overruled(&self, mode: Mode, dir: &Path) -> Result<Vec<Setting>, GitError> {
        overruled(&self.settings(dir)?, mode)
    }
}

/// What to overrule of these settings, for a run in this mode: hooks that are settings instead of files, and filters. At
/// a checkout the user's own filters run, and nothing that the repository put into their place or gives them to run.
///
/// # Errors
///
/// When there are more of them than any real configuration has.
pub(crate) fn overruled(listed: &[u8], mode: Mode) -> Result<Vec<Setting>, GitError> {
    let all = Listed::parse(listed);
    let repository = || all.iter().filter(|listed| !listed.is_users);
    let is_checkout = mode == Mode::Checkout;
    let hooks = sections(all.iter(), b"hook.");
    let filters =
        if is_checkout { sections(repository(), b"filter.") } else { sections(all.iter(), b"filter.") };
    let programs: BTreeSet<&[u8]> = if is_checkout {
        repository().map(|listed| listed.key).filter(|key| names_a_program(key)).collect()
    } else {
        BTreeSet::new()
    };
    if hooks.len() + filters.len() + programs.len() > MOST {
        let count = hooks.len() + filters.len() + programs.len();
        let reason = format!("its settings name {count} filters, hooks and other programs");
        return Err(GitError::Broken { reason });
    }
    // Elsewhere than at a checkout no filter runs, also not the user's.
    let users = |key: &[u8]| if is_checkout { users_value(&all, key) } else { None };
    let mut settings = Vec::new();
    for section in hooks {
        settings.push(setting(&[section, b".enabled"].concat(), "false"));
    }
    for section in filters {
        for (name, off) in FILTER {
            let key = [section, b".", name.as_bytes()].concat();
            // A process that is set, if only to nothing, takes the place of the user's `smudge`.
            if is_checkout && !repository().any(|listed| listed.key == key) {
                continue;
            }
            settings.push(setting(&key, users(&key).unwrap_or(OsStr::new(off))));
        }
    }
    let (helpers, programs): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|key| is_credential_helper(key));
    for key in programs {
        let none = if key == SSH { "ssh" } else { "" };
        settings.push(setting(key, users(key).unwrap_or(OsStr::new(none))));
    }
    if !helpers.is_empty() {
        // An empty value makes git forget all helpers before it.
        settings.push(setting(b"credential.helper", ""));
        settings.extend(helpers.into_iter().map(|key| setting(key, "")));
        let own = all.iter().filter(|listed| listed.is_users && is_credential_helper(listed.key));
        settings.extend(own.map(|own| setting(own.key, own.value)));
    }
    Ok(settings)
}

/// The command that connects to other machines. Filters for large files use it too.
const SSH: &[u8] = b"core.sshcommand";

/// Whether a setting names a program that a filter of the user's may start: how to connect, who knows a password, and
/// what git-lfs may have in place of its own transfers. Git writes these names in small letters.
fn names_a_program(key: &[u8]) -> bool {
    key == SSH
        || key == b"core.gitproxy"
        || is_credential_helper(key)
        || key.starts_with(b"lfs.customtransfer.")
        || key.starts_with(b"lfs.extension.")
        || (key.starts_with(b"lfs.") && key.ends_with(b"standalonetransferagent"))
}

fn is_credential_helper(key: &[u8]) -> bool {
    key.starts_with(b"credential.") && key.ends_with(b".helper")
}

fn setting(key: &[u8], value: impl AsRef<OsStr>) -> Setting {
    (OsString::from_vec(key.to_vec()), value.as_ref().to_owned())
}

/// The last value that the user gave a setting.
fn users_value<'a>(all: &[Listed<'a>], key: &[u8]) -> Option<&'a OsStr> {
    all.iter().rev().find(|listed| listed.is_users && listed.key == key).map(|listed| listed.value)
}

/// The sections of these settings that begin so, with the dot behind them left out.
fn sections<'a: 'l, 'l>(listed: impl Iterator<Item = &'l Listed<'a>>, begin: &[u8]) -> BTreeSet<&'a [u8]> {
    let keys = listed.map(|listed| listed.key).filter(|key| key.starts_with(begin));
    keys.filter_map(|key| key.iter().rposition(|&byte| byte == b'.').map(|dot| &key[..dot])).collect()
}

/// A setting as git lists it.
#[derive(Debug)]
struct Listed<'a> {
    /// Whether the user or the machine's administrator wrote it.
    is_users: bool,
    key: &'a [u8],
    value: &'a OsStr,
}

impl<'a> Listed<'a> {
    /// Reads pairs of scope and setting. A setting without a value means true.
    fn parse(listed: &'a [u8]) -> Vec<Listed<'a>> {
        let mut pieces = listed.split(|&byte| byte == 0);
        let mut all = Vec::new();
        while let (Some(scope), Some(setting)) = (pieces.next(), pieces.next()) {
            let line = setting.iter().position(|&byte| byte == b'\n');
            let (key, value) = match line {
                Some(line) => (&setting[..line], OsStr::from_bytes(&setting[line + 1..])),
                None => (setting, OsStr::new("true")),
            };
            // Our own, in the environment.
            if scope == b"command" {
                continue;
            }
            all.push(Listed { is_users: matches!(scope, b"system" | b"global"), key, value });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(settings: &[(&str, &str)]) -> Vec<u8> {
        settings.iter().flat_map(|(scope, setting)| format!("{scope}\0{setting}\0").into_bytes()).collect()
    }

    fn of(listed: &[u8], mode: Mode) -> Vec<(String, String)> {
        let text = |text: OsString| text.to_string_lossy().into_owned();
        overruled(listed, mode).unwrap().into_iter().map(|(key, value)| (text(key), text(value))).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn s36_filters_and_configured_hooks_are_overruled_by_name() {
        let mut all = listed(&[
            ("local", "core.bare\nfalse"),
            ("command", "filter.ours.clean\nx"),
            ("local", "filter.a=b c.d.clean\nx"),
            ("global", "filter.lfs.smudge\ny"),
            ("local", "hook.x.command\nz"),
        ]);
        all.extend(b"local\0filter.\xff.process\nv\0");
        let compared = overruled(&all, Mode::Compare).unwrap();
        let keys: Vec<&OsString> = compared.iter().map(|(key, _)| key).collect();
        for key in ["filter.a=b c.d.clean", "filter.a=b c.d.process", "filter.lfs.smudge", "hook.x.enabled"] {
            assert!(keys.contains(&&OsString::from(key)), "{key} in {compared:?}");
        }
        assert!(keys.contains(&&OsString::from_vec(b"filter.\xff.clean".to_vec())));
        assert_eq!(compared.len(), 13);
        assert!(compared.iter().all(|(_, value)| value.is_empty() || value == "false"), "{compared:?}");
        let many: Vec<u8> =
            (0..1000).flat_map(|n| format!("local\0filter.{n}.clean\n\0").into_bytes()).collect();
        assert!(matches!(overruled(&many, Mode::Compare), Err(GitError::Broken { .. })));
    }

    #[test]
    fn s36_at_a_checkout_the_users_filters_run_and_not_the_repositorys() {
        let all = listed(&[
            ("system", "filter.lfs.clean\nsystem"),
            ("global", "filter.lfs.clean\nown --clean"),
            ("global", "filter.lfs.required"),
            ("global", "filter.plain.smudge\nuntouched"),
            ("local", "filter.lfs.clean\ntrap"),
            ("worktree", "filter.lfs.process\ntrap"),
            ("local", "hook.x.command\ntrap"),
        ]);
        let expected =
            [("hook.x.enabled", "false"), ("filter.lfs.clean", "own --clean"), ("filter.lfs.process", "")];
        assert_eq!(of(&all, Mode::Checkout), pairs(&expected));
    }

    #[test]
    fn s36_the_users_filters_get_no_programs_of_the_repository() {
        let all = listed(&[
            ("global", "credential.helper\nown"),
            ("global", "core.sshcommand\nssh -i key"),
            ("local", "core.sshcommand\ntrap"),
            ("local", "credential.https://a.b.helper\ntrap"),
            ("local", "lfs.customtransfer.x.path\ntrap"),
            ("local", "lfs.standalonetransferagent\nx"),
            ("local", "lfs.https://a.b.standalonetransferagent\nx"),
            ("local", "lfs.extension.x.smudge\ntrap"),
        ]);
        let expected = [
            ("core.sshcommand", "ssh -i key"),
            ("lfs.customtransfer.x.path", ""),
            ("lfs.extension.x.smudge", ""),
            ("lfs.https://a.b.standalonetransferagent", ""),
            ("lfs.standalonetransferagent", ""),
            ("credential.helper", ""),
            ("credential.https://a.b.helper", ""),
            ("credential.helper", "own"),
        ];
        assert_eq!(of(&all, Mode::Checkout), pairs(&expected));
        assert_eq!(
            of(&listed(&[("local", "core.sshcommand\ntrap")]), Mode::Checkout),
            pairs(&[("core.sshcommand", "ssh")])
        );
        assert_eq!(of(&all, Mode::Look), []);
    }
}
