//! `abide repo add`: registers a repository.

use std::path::PathBuf;

use anyhow::Context;
use api::AddRepository;
use clap::Args;

use super::agree::warn;
use crate::failure::Failure;
use crate::output;
use crate::the_server;

/// Register a repository
///
/// Prints its name. abide changes nothing in the repository.
#[derive(Args)]
pub(in crate::commands) struct Add {
    /// Any directory in the repository; by default the current one
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    path: PathBuf,
}

impl Add {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let add = AddRepository { path: absolute(self.path)? };
        let repository = server.add_repository(&add)?;
        let name = model::display_safe(&repository.name);
        output::write(format!("{name}\n"))?;
        eprintln!("`{}` is registered", model::display_safe(&repository.path));
        let provisioning = match server.provisioning(repository.id) {
            Ok(provisioning) => provisioning,
            Err(error) => {
                // The repository is registered; only its commands cannot be used.
                eprintln!("warning: {}", model::display_safe(&error.to_string()));
                return Ok(0);
            }
        };
        warn(&provisioning);
        if !provisioning.commands.is_empty() && !provisioning.agreed {
            eprintln!(
                "note: its .abide.toml has commands for new worktrees; abide runs them only after you agree: \
                 `abide repo agree {}`",
                repository.id
            );
        }
        Ok(0)
    }
}

/// The path from the root, as text. The server has a current directory of its own.
fn absolute(path: PathBuf) -> Result<String, Failure> {
    let path = std::path::absolute(&path)
        .context("the current directory no longer exists")
        .map_err(|error| Failure::from(error).hint("name the repository by its full path"))?;
    path.into_os_string().into_string().map_err(|path| {
        let shown = model::display_safe(&path.to_string_lossy());
        Failure::usage(format!("the path `{shown}` is not valid UTF-8"))
            .hint("name it through a link with a plain name")
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_relative_path_is_sent_as_an_absolute_path() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(".".into()).unwrap(), here.to_str().unwrap());
        assert_eq!(absolute("a/b".into()).unwrap(), here.join("a/b").to_str().unwrap());
        assert_eq!(absolute("/a b".into()).unwrap(), "/a b");
    }

    #[test]
    fn n1_a_path_in_another_encoding_is_refused_with_a_reason() {
        let refused = absolute(OsString::from_vec(b"/caf\xe9".to_vec()).into()).unwrap_err();
        assert_eq!(refused.code(), 2);
        assert!(refused.sentence().contains("not valid UTF-8"), "{refused:?}");
    }
}
