//! The paths of the units, and their present content.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::unit::{self, Unit};
use crate::failure::Failure;

/// What the unit of the server is called.
pub(super) const SERVICE: &str = "abide.service";

/// What the unit of its port is called.
pub(super) const SOCKET: &str = "abide.socket";

/// What is at a unit's place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A unit as abide wrote it.
    AsWritten(String),
    /// Something that abide did not write, or that was changed.
    Changed,
}

/// Where the user's units belong.
///
/// # Errors
///
/// When the environment does not say.
pub(super) fn directory() -> Result<PathBuf, Failure> {
    let named = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")));
    let config = config.ok_or_else(|| {
        Failure::ours("cannot find the directory for units: neither XDG_CONFIG_HOME nor HOME is set")
            .hint("set HOME to your home directory")
    })?;
    Ok(config.join("systemd/user"))
}

/// Where a package installed these units for all users, if one did. systemd reads them if a user has none of their own.
pub(super) fn packaged(units: &[Unit]) -> Option<PathBuf> {
    let data = env::var_os("XDG_DATA_DIRS").filter(|directories| !directories.is_empty());
    let data = data.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let libraries = ["/usr/local/lib", "/usr/lib"].map(PathBuf::from);
    let mut places = env::split_paths(&data).chain(libraries).map(|place| place.join("systemd/user"));
    places.find(|place| {
        units
            .iter()
            .all(|unit| fs::read_to_string(place.join(unit.name)).is_ok_and(|there| there == unit.text))
    })
}

/// What is there. abide writes no links: a masked unit is one.
///
/// # Errors
///
/// When it cannot be read.
pub(super) fn look(path: &Path) -> Result<Found, Failure> {
    let read = || match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(error),
        Ok(found) if !found.is_file() => Ok(Found::Changed),
        Ok(_) => Ok(match String::from_utf8(fs::read(path)?) {
            Ok(text) if unit::is_as_written(&text) => Found::AsWritten(text),
            _ => Found::Changed,
        }),
    };
    Ok(read().with_context(|| format!("cannot look at `{}`", path.display()))?)
}

/// Writes the unit as a whole, in the place of an older file.
///
/// # Errors
///
/// When the disk refuses.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let new = path.with_added_extension("new");
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(&new, text)?;
        fs::rename(&new, path)
    };
    write().with_context(|| format!("cannot write `{}`", path.display())).map_err(|error| {
        Failure::from(error).hint("check that you can write there, and that the disk has space")
    })
}

/// Removes a unit, and the link by which it is started with a login.
///
/// # Errors
///
/// When the disk refuses.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default();
    let starter = if name == SOCKET { "sockets.target.wants" } else { "default.target.wants" };
    let enabled = path.with_file_name(starter).join(name);
    let leads_here = fs::read_link(&enabled).is_ok_and(|target| enabled.with_file_name(target) == path);
    let removed = fs::remove_file(path).and_then(|()| match leads_here {
        true => fs::remove_file(&enabled),
        false => Ok(()),
    });
    Ok(removed.with_context(|| format!("cannot remove `{}`", path.display()))?)
}
