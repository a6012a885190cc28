//! The licences of the libraries that are in the programs and in the web UI.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::output;
use crate::house::House;

/// How the names of licence files begin.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

/// One text: for each library its name and licence, and each licence text once with the libraries that have it.
pub(super) fn collect(house: &House) -> Result<String> {
    let mut libraries = crates(house)?;
    libraries.extend(node_packages(house)?);
    let mut text = String::from("Libraries that abide contains, and their licences.\n\n");
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for library in &libraries {
        text.push_str(&format!("{} ({})\n", library.name, library.licence));
        for licence in licence_texts(&library.directory) {
            texts.entry(licence).or_default().insert(library.name.clone());
        }
    }
    for (licence, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        text.push_str(&format!("\n{}\n{}:\n\n{}\n", "-".repeat(80), names.join(", "), licence.trim_end()));
    }
    Ok(text)
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    name: String,
    licence: String,
    directory: PathBuf,
}

/// The crates of others that the package `cli` is built of.
fn crates(house: &House) -> Result<BTreeSet<Library>> {
    let tree =
        ["tree", "--locked", "--package", "cli", "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let used = output(&mut house.cargo(&tree))?;
    let used: BTreeSet<&str> = used.lines().filter_map(|line| line.split(" (").next()).collect();
    let metadata = output(&mut house.cargo(&["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo's metadata is no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo's metadata has no packages")?;
    let library = |package: &Value| -> Option<Library> {
        // A package of ours has no source.
        package["source"].as_str()?;
        let name = format!("{} v{}", package["name"].as_str()?, package["version"].as_str()?);
        let directory = Path::new(package["manifest_path"].as_str()?).parent()?.to_owned();
        let licence = package["license"].as_str().unwrap_or("see below").to_owned();
        used.contains(name.as_str()).then_some(Library { name, licence, directory })
    };
    Ok(packages.iter().filter_map(library).collect())
}

/// The packages that are in the web UI; those that only build it are not.
fn node_packages(house: &House) -> Result<BTreeSet<Library>> {
    let web = house.root.join("web");
    let lock =
        fs::read_to_string(web.join("package-lock.json")).context("cannot read web/package-lock.json")?;
    let lock: Value = serde_json::from_str(&lock).context("web/package-lock.json is no JSON")?;
    let packages = lock["packages"].as_object().context("web/package-lock.json has no packages")?;
    let library = |(place, package): (&String, &Value)| -> Option<Library> {
        let name = place.rsplit_once("node_modules/")?.1;
        if package["dev"] == true || package["optional"] == true {
            return None;
        }
        let licence = package["license"].as_str().unwrap_or("see below").to_owned();
        let name = format!("{name} v{}", package["version"].as_str()?);
        Some(Library { name, licence, directory: web.join(place) })
    };
    Ok(packages.iter().filter_map(library).collect())
}

fn licence_texts(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file() && NAMES.iter().any(|known| name.starts_with(known))
    };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_licence).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}
