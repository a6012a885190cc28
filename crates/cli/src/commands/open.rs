//! `abide open`: the page, in a browser.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use clap::Args;
use client::Client;
use home::Home;

use crate::failure::Failure;
use crate::output;
use crate::settings::in_path;
use crate::workers;

/// Open the web UI in a browser
///
/// Prints a link that works once and for a few minutes. If there is a display, it also starts a browser with a page on
/// disk that leads to the link; only you can read that page, and it is removed once the link was used.
#[derive(Args)]
pub(super) struct Open {
    /// Only print the link
    #[arg(long)]
    print: bool,
}

impl Open {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let code = Client::of(&home)?.create_code()?;
        output::write(format!("{}\n", model::display_safe(&code.url)))?;
        if !self.print && has_display(|name| env::var_os(name)) && !opened(&home, &code.url) {
            eprintln!(
                "abide could not start a browser; open the link yourself, within a few minutes. It works once"
            );
        }
        Ok(0)
    }
}

fn has_display(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| variable(name).is_some_and(|value| !value.is_empty()))
}

/// Hands a page that leads to the link to the desktop. The link itself must not be among the arguments: all users of the
/// machine can read those. The browser may run long and is not waited for.
fn opened(home: &Home, url: &str) -> bool {
    let Some(program) = in_path("xdg-open") else { return false };
    let Ok(page) = home::write_sign_in_page(home, url) else { return false };
    let mut command = Command::new(program);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_display_if_a_display_variable_is_set() {
        let with = |set: &'static str, value: &'static str| {
            has_display(move |name| (name == set).then(|| value.into()))
        };
        assert!(with("DISPLAY", ":0") && with("WAYLAND_DISPLAY", "wayland-0"));
        assert!(!with("DISPLAY", "") && !with("TERM", "xterm"));
    }
}
