//! The files of a package, as they will be installed.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::output;
use super::place::{BASH_COMPLETIONS, DOCUMENTS, FISH_COMPLETIONS, MANUALS, Place, SERVICE, SOCKET};
use crate::house::House;
use crate::tidy;

/// The programs. The second is beside the first, where the first looks for it.
pub(super) const PROGRAMS: [&str; 2] = ["abide", "abide-host"];

/// Documents at the top of the workspace that are packed.
const TEXTS: [&str; 5] = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes the tree of a package in an empty directory.
pub(super) fn grow(house: &House, place: &Place, binaries: &Path, notices: &str, root: &Path) -> Result<()> {
    if root.exists() {
        fs::remove_dir_all(root).with_context(|| format!("cannot remove `{}`", root.display()))?;
    }
    let tree = Tree { root: root.join(place.prefix()) };
    for program in PROGRAMS {
        let built = binaries.join(program);
        ensure!(built.is_file(), "there is no `{}`; build abide first", built.display());
        tree.copy(&built, &format!("bin/{program}"))?;
        tree.strip(&format!("bin/{program}"))?;
    }
    let abide = binaries.join("abide");
    let printed = |arguments: &[&str]| output(Command::new(&abide).args(arguments));
    tree.write(BASH_COMPLETIONS, &printed(&["completions", "bash"])?)?;
    tree.write(FISH_COMPLETIONS, &printed(&["completions", "fish"])?)?;
    tree.write(place.zsh_completions(), &printed(&["completions", "zsh"])?)?;
    tree.write(SERVICE, &printed(&["service", "unit", "--program", place.program()])?)?;
    tree.write(SOCKET, &printed(&["service", "unit", "--socket"])?)?;
    tree.manuals(&abide)?;
    tree.documents(house, notices)?;
    if let Place::Debian { architecture } = place {
        tree.debian(root, architecture)?;
    }
    settle(root).with_context(|| format!("cannot set the rights of `{}`", root.display()))
}

struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The path of a file, in a directory that is there.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let path = self.root.join(name);
        let directory = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(directory).with_context(|| format!("cannot make `{}`", directory.display()))?;
        Ok(path)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name)?;
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }

    fn copy(&self, from: &Path, name: &str) -> Result<()> {
        let path = self.path(name)?;
        fs::copy(from, &path).with_context(|| format!("cannot copy `{}`", from.display()))?;
        Ok(())
    }

    /// Symbols stay with the build; see docs/install.md.
    fn strip(&self, name: &str) -> Result<()> {
        output(Command::new("strip").arg(self.root.join(name))).map(drop)
    }

    /// Manual pages, compressed as `man` expects them.
    fn manuals(&self, abide: &Path) -> Result<()> {
        let directory = self.root.join(MANUALS);
        output(Command::new(abide).args(["man", "--out"]).arg(&directory))?;
        let pages =
            fs::read_dir(&directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        output(Command::new("gzip").args(["-n9", "--"]).args(pages)).map(drop)
    }

    /// What a person reads, with the pictures and pages that it links to.
    fn documents(&self, house: &House, notices: &str) -> Result<()> {
        let is_document =
            |file: &PathBuf| file.starts_with("docs") || TEXTS.iter().any(|text| file == Path::new(text));
        for file in tidy::files(house)?.into_iter().filter(is_document) {
            self.copy(&house.root.join(&file), &format!("{DOCUMENTS}/{}", file.display()))?;
        }
        self.write(&format!("{DOCUMENTS}/THIRD-PARTY.txt"), notices)
    }

    /// What Debian wants to know about a package.
    fn debian(&self, root: &Path, architecture: &str) -> Result<()> {
        let licences = ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| self.root.join(DOCUMENTS).join(name));
        let licences = licences.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
        let copyright = format!(
            "abide may be used under the MIT licence or under the Apache licence, version 2.0, as you like.\n\
             THIRD-PARTY.txt has the licences of the libraries that it contains.\n\n{}",
            licences.join("\n\n")
        );
        self.write(&format!("{DOCUMENTS}/copyright"), &copyright)?;
        let control = root.join("DEBIAN");
        fs::create_dir_all(&control)?;
        let text = super::archive::control(architecture, &self.root.join("bin"), size_kib(&self.root)?)?;
        fs::write(control.join("control"), text).context("cannot write the control file")
    }
}

fn size_kib(directory: &Path) -> Result<u64> {
    let bytes =
        files(directory)?.iter().map(|file| Ok(fs::metadata(file)?.len())).sum::<io::Result<u64>>()?;
    Ok(bytes.div_ceil(1024))
}

fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

/// Gives files and directories the rights of installed ones, with any umask.
fn settle(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            settle(&path)?;
        } else {
            let is_program = directory.ends_with("bin");
            fs::set_permissions(&path, Permissions::from_mode(if is_program { 0o755 } else { 0o644 }))?;
        }
    }
    Ok(())
}
