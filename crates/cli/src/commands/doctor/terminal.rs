//! The terminal we are in.

use std::env;

use rustix::stdio::{stdin, stdout};
use rustix::termios::{isatty, tcgetwinsize};

use super::check::Check;

const SUBJECT: &str = "terminal";

pub(super) fn check() -> Check {
    if !isatty(stdin()) || !isatty(stdout()) {
        return Check::ok(
            SUBJECT,
            "not a terminal; `abide new -d`, `screen` and `send` work without one, `attach` does not",
        );
    }
    let variable = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    let shown =
        |name| variable(name).map_or_else(|| "not set".to_owned(), |value| model::display_safe(&value));
    let size = tcgetwinsize(stdout())
        .map_or_else(|_| "of unknown size".to_owned(), |size| format!("{}x{}", size.ws_col, size.ws_row));
    let finding = format!("{size}, TERM {}, COLORTERM {}", shown("TERM"), shown("COLORTERM"));
    match variable("TERM").as_deref() {
        None | Some("dumb" | "unknown") => {
            Check::warn(SUBJECT, finding, "set TERM to the type of your terminal, for example xterm-256color")
        }
        Some(_) => Check::ok(SUBJECT, finding),
    }
}
