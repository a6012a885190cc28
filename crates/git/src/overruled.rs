//! Settings that are overruled by name: those that would have git run programs, under names of the repository's choice.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use crate::error::GitError;
use crate::git::Git;
use crate::settings::Mode;

/// More than any person has. Each takes room in the environment, which is bounded.
const MOST: usize = 200;

/// A setting of a repository's, and what it is overruled with.
pub(crate) type Setting = (OsString, &'static str);

impl Git {
    /// The names of all settings in force in a directory. Reading them runs nothing.
    pub(crate) fn setting_names(&self, dir: &Path) -> Result<Vec<u8>, GitError> {
        self.look(dir).args(["config", "--list", "--name-only", "-z", "--includes"]).bytes()
    }

    /// What to overrule for a run in this directory.
    pub(crate) fn overruled(&self, mode: Mode, dir: &Path) -> Result<Vec<Setting>, GitError> {
        overruled(&self.setting_names(dir)?, mode)
    }
}

/// What to overrule of the settings with these names, for a run in this mode: filters, unless files are checked out,
/// and hooks that are settings instead of files.
///
/// # Errors
///
/// When there are more of them than any real configuration has.
pub(crate) fn overruled(names: &[u8], mode: Mode) -> Result<Vec<Setting>, GitError> {
    let mut sections: BTreeSet<&[u8]> = BTreeSet::new();
    for name in names.split(|&byte| byte == 0) {
        let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { continue };
        let section = &name[..dot];
        if section.starts_with(b"hook.") || (section.starts_with(b"filter.") && mode != Mode::Checkout) {
            sections.insert(section);
        }
    }
    if sections.len() > MOST {
        let reason = format!("its settings name {} filters and hooks", sections.len());
        return Err(GitError::Broken { reason });
    }
    let of = |section: &[u8]| {
        let off: &[(&str, &str)] = if section.starts_with(b"hook.") {
            &[("enabled", "false")]
        } else {
            &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
        };
        let key = |name: &str| OsString::from_vec([section, b".", name.as_bytes()].concat());
        off.iter().map(|(name, value)| (key(name), *value)).collect::<Vec<_>>()
    };
    Ok(sections.into_iter().flat_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s36_filters_and_configured_hooks_are_overruled_by_name() {
        let names =
            b"core.bare\0filter.a=b c.d.clean\0filter.a=b c.d.smudge\0hook.x.command\0filter.\xff.process\0";
        let keys = |mode| overruled(names, mode).unwrap().into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        let compared = keys(Mode::Compare);
        for key in
            ["filter.a=b c.d.clean", "filter.a=b c.d.process", "filter.a=b c.d.required", "hook.x.enabled"]
        {
            assert!(compared.contains(&key.into()), "{key} in {compared:?}");
        }
        assert!(compared.contains(&OsString::from_vec(b"filter.\xff.clean".to_vec())));
        assert_eq!(compared.len(), 9);
        assert_eq!(keys(Mode::Checkout), ["hook.x.enabled"]);
        let many: Vec<u8> = (0..1000).flat_map(|n| format!("filter.{n}.clean\0").into_bytes()).collect();
        assert!(matches!(overruled(&many, Mode::Compare), Err(GitError::Broken { .. })));
    }
}
