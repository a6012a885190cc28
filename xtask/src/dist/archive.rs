//! Packing a tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::place::Place;
use super::tree::PROGRAMS;
use super::{VERSION, glibc, output};

/// Packs the tree of a package; gives the archive.
pub(super) fn make(place: &Place, root: &Path, out: &Path, time: u64) -> Result<PathBuf> {
    let archive = out.join(place.archive());
    match place {
        Place::Prefix => output(
            Command::new("tar")
                .args([
                    "--create",
                    "--sort=name",
                    "--owner=0",
                    "--group=0",
                    "--numeric-owner",
                    "--format=gnu",
                ])
                .arg(format!("--mtime=@{time}"))
                .arg("--use-compress-program=gzip -n9")
                .arg(format!("--transform=s,^\\./\\?,{}/,", place.directory()))
                .arg("--file")
                .arg(&archive)
                .arg("--directory")
                .arg(root)
                .arg("."),
        )?,
        Place::Debian { .. } => output(
            Command::new("dpkg-deb")
                .args(["--root-owner-group", "--build"])
                .args([root, &archive])
                .env("SOURCE_DATE_EPOCH", time.to_string()),
        )?,
    };
    Ok(archive)
}

/// The file `control` of a Debian package.
pub(super) fn control(architecture: &str, programs: &Path, size_kib: u64) -> Result<String> {
    let needed = |name: &str| -> Result<Option<u32>> {
        let program = programs.join(name);
        let bytes = fs::read(&program).with_context(|| format!("cannot read `{}`", program.display()))?;
        Ok(glibc::needed(&bytes))
    };
    let needed = PROGRAMS.iter().map(|name| needed(name)).collect::<Result<Vec<_>>>()?;
    let glibc = needed.into_iter().flatten().max().context("the programs name no C library")?;
    Ok(format!(
        "\
Package: abide
Version: {VERSION}
Architecture: {architecture}
Maintainer: The abide contributors <abide@localhost>
Installed-Size: {size_kib}
Depends: libc6 (>= 2.{glibc}), libgcc-s1
Recommends: git
Section: utils
Priority: optional
Description: terminals and coding agents that stay
 abide runs each program in a terminal of its own that goes on when the window
 is closed, the connection is lost or abide itself is upgraded. Attach to it
 from a terminal or from a browser, and the screen is exactly as if you had
 never left.
"
    ))
}
