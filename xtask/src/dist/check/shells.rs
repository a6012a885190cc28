//! The shells complete the name of a worker from the files of the package.

use anyhow::{Context, Result, ensure};

use super::super::output;
use super::super::place::{BASH_COMPLETIONS, FISH_COMPLETIONS};
use super::installed::Installed;
use super::text;
use crate::tools;

/// Debian's directory for zsh's completions, and that of others, below the prefix.
const ZSH: [&str; 2] = ["share/zsh/vendor-completions", "share/zsh/site-functions"];

/// `abide attach fi` becomes `abide attach first` in each shell that is there.
pub(super) fn complete(installed: &Installed, skipped: &mut Vec<String>) -> Result<()> {
    let prefix = &installed.prefix;
    let bash = format!(
        "source '{}'; COMP_WORDS=(abide attach fi); COMP_CWORD=2; _abide abide fi attach; echo \"${{COMPREPLY[@]}}\"",
        text(&prefix.join(BASH_COMPLETIONS))?
    );
    let directory = ZSH.into_iter().map(|name| prefix.join(name)).find(|path| path.is_dir());
    let directory = directory.context("there are no completions for zsh")?;
    // Completion proper needs a terminal; this shows that zsh finds the file and what it makes of the answer.
    let zsh = format!(
        "fpath=('{}' $fpath); autoload -Uz compinit; compinit -u -D; [[ $_comps[abide] == _abide ]] || exit 1; \
         _describe() {{ print -l -- ${{(P)2}} }}; words=(abide attach fi); CURRENT=3; PREFIX=fi; _abide",
        text(&directory)?
    );
    let fish = format!(
        "source '{}'; complete --do-complete 'abide attach fi'",
        text(&prefix.join(FISH_COMPLETIONS))?
    );
    for (shell, arguments) in [
        ("bash", vec!["--norc", "-c", &bash]),
        ("zsh", vec!["-f", "-c", &zsh]),
        ("fish", vec!["--no-config", "-c", &fish]),
    ] {
        if !tools::is_there(shell) {
            skipped.push(format!("no `{shell}` for its completions"));
            continue;
        }
        let answer =
            output(installed.command(shell).args(arguments)).with_context(|| format!("in {shell}"))?;
        let word = answer.trim().split(['\t', ':']).next();
        ensure!(word == Some("first"), "{shell} completes `abide attach fi` with `{}`", answer.trim());
    }
    Ok(())
}
