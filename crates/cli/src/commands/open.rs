//! `abide open`: the page, in a browser.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::settings::in_path;
use crate::the_server;

/// Open the web UI in a browser
///
/// Prints a link that works once and for a few minutes, and opens it if there is a display.
#[derive(Args)]
pub(super) struct Open {
    /// Only print the link
    #[arg(long)]
    print: bool,
}

impl Open {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let code = the_server::find()?.create_code()?;
        output::write(format!("{}\n", model::display_safe(&code.url)))?;
        if !self.print && has_display(|name| env::var_os(name)) && !opened(&code.url) {
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

/// Hands the link to the desktop, which may take as long as the browser runs and is not waited for.
fn opened(url: &str) -> bool {
    let Some(program) = in_path("xdg-open") else { return false };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
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
