//! The environment a child gets: built, not inherited.

use std::ffi::{OsStr, OsString};

/// Variables of an enclosing terminal, of an enclosing agent, of a service manager and of our own.
const LEFT_OUT: &[&str] = &[
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COLUMNS",
    "GEMINI_CLI",
    "INSIDE_EMACS",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LINES",
    "MAINPID",
    "MANAGERPID",
    "NOTIFY_SOCKET",
    "OPENCODE",
    "OPENCODE_CLIENT",
    "OPENCODE_PID",
    "OLDPWD",
    "SHLVL",
    "STY",
    "SYSTEMD_EXEC_PID",
    "TERMCAP",
    "TERMINFO",
    "TMUX",
    "TMUX_PANE",
    "VTE_VERSION",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "WINDOW",
    "WINDOWID",
    "WT_PROFILE_ID",
    "WT_SESSION",
    "_",
];

/// The same, by how they begin.
const LEFT_OUT_PREFIXES: &[&str] = &[
    "ABIDE_",
    "ALACRITTY_",
    "FDSTORE",
    "GHOSTTY_",
    "ITERM_",
    "KITTY_",
    "KONSOLE_",
    "LISTEN_",
    "LC_TERMINAL",
    "MEMORY_PRESSURE_",
    "TERM_",
    "VSCODE_",
    "WEZTERM_",
    "ZELLIJ",
];

/// What the terminal says about itself: what our model understands.
const TERMINAL: &[(&str, &str)] =
    &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("TERM_PROGRAM", "abide")];

/// The child's environment: what the caller has, without what belongs to the caller's own terminal, agent or service
/// manager; then what the worker's terminal says of itself; then `ours`, which wins.
pub fn child_environment(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
    ours: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<_> = caller.into_iter().filter(|(name, _)| !is_left_out(name)).collect();
    let terminal = TERMINAL.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let version = [("TERM_PROGRAM_VERSION".into(), env!("CARGO_PKG_VERSION").into())];
    for (name, value) in terminal.chain(version).chain(ours) {
        variables.retain(|(there, _)| *there != name);
        variables.push((name, value));
    }
    variables
}

fn is_left_out(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    LEFT_OUT.contains(&name) || LEFT_OUT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn s31_the_environment_is_built_not_inherited() {
        let caller = variables(&[
            ("PATH", "/bin"),
            ("TMUX", "x"),
            ("CLAUDECODE", "1"),
            ("CODEX_HOME", "/h"),
            ("NOTIFY_SOCKET", "/run/x"),
            ("TERM", "dumb"),
            ("ABIDE_TOKEN", "secret"),
            ("LANG", "C.UTF-8"),
        ]);
        let built =
            child_environment(caller, variables(&[("ABIDE_WORKER", "k7f2"), ("LANG", "de_DE.UTF-8")]));
        let expected = [
            ("PATH", "/bin"),
            ("CODEX_HOME", "/h"),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("TERM_PROGRAM", "abide"),
            ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION")),
            ("ABIDE_WORKER", "k7f2"),
            ("LANG", "de_DE.UTF-8"),
        ];
        assert_eq!(built, variables(&expected));
    }
}
