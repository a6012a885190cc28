//! Licences, sources and known faults of our dependencies, as `cargo deny` sees them.

use crate::house::House;
use crate::report::Outcome;

/// Checks licences, doubled crates and where crates come from; needs no network.
pub(crate) fn licences(house: &House) -> Outcome {
    missing(house)
        .unwrap_or_else(|| Outcome::of(&mut house.cargo(&["deny", "check", "licenses", "bans", "sources"])))
}

/// Checks dependencies against the advisory database, if it can be downloaded.
pub(crate) fn advisories(house: &House) -> Outcome {
    missing(house).unwrap_or_else(|| match Outcome::of(&mut house.cargo(&["deny", "fetch", "db"])) {
        Outcome::Failed(why) => Outcome::Skipped(format!("the advisory database cannot be fetched ({why})")),
        _ => Outcome::of(&mut house.cargo(&["deny", "check", "--disable-fetch", "advisories"])),
    })
}

fn missing(house: &House) -> Option<Outcome> {
    let there = house.cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success());
    (!there)
        .then(|| Outcome::Skipped("`cargo deny` is not installed; `cargo install cargo-deny` gets it".into()))
}
