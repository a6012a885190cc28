//! No file names the host of a package registry: where packages come from is each machine's own setting.

use super::{Finding, Source};

/// Public registries, in two halves so that this file passes its own check.
const REGISTRIES: [(&str, &str); 6] = [
    ("crates", ".io"),
    ("npmjs", ".org"),
    ("npmjs", ".com"),
    ("yarnpkg", ".com"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
];

/// Names that private registries and mirrors have in their addresses.
const LABELS: [&str; 4] = ["registry", "artifactory", "nexus", "verdaccio"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let is_cargo_lock = source.path.ends_with("Cargo.lock");
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        if is_cargo_lock && is_cargos_own(line) {
            continue;
        }
        if let Some(host) = public(line).or_else(|| private(line)) {
            findings
                .push(source.finding(number, format!("`{host}` is a package registry's host; name none")));
        }
    }
    findings
}

/// Cargo writes its default registry in this form on every machine, even if a mirror is set.
fn is_cargos_own(line: &str) -> bool {
    let (name, end) = REGISTRIES[0];
    line == format!("source = \"registry+https://github.com/rust-lang/{name}{end}-index\"")
}

fn public(line: &str) -> Option<String> {
    REGISTRIES.iter().map(|(name, end)| format!("{name}{end}")).find(|host| line.contains(host))
}

fn private(line: &str) -> Option<String> {
    let is_registry =
        |host: &&str| host.contains('.') && host.split('.').any(|label| LABELS.contains(&label));
    let addresses = line.split("//").skip(1);
    let hosts =
        addresses.map(|address| address.split(['/', ':', '"', '\'', ')', '`', ' ']).next().unwrap_or(""));
    hosts.into_iter().find(is_registry).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn registries_are_found_wherever_they_stand() {
        for (name, end) in REGISTRIES {
            assert_eq!(check(&source("docs/a.md", &format!("get it from {name}{end} today"))).len(), 1);
        }
        let resolved = format!(r#"  "resolved": "https://{}.example.net/x.tgz","#, LABELS[0]);
        assert_eq!(check(&source("web/package-lock.json", &resolved)).len(), 1);
        let npmrc = format!("//{}.example.net:8080/:always-auth=true", LABELS[1]);
        assert_eq!(check(&source(".npmrc", &npmrc)).len(), 1);
    }

    #[test]
    fn the_form_cargo_always_writes_is_fine_in_its_lock_file_only() {
        let (name, end) = REGISTRIES[0];
        let line = format!("source = \"registry+https://github.com/rust-lang/{name}{end}-index\"");
        assert!(check(&source("Cargo.lock", &line)).is_empty());
        assert_eq!(check(&source("README.md", &line)).len(), 1);
    }

    #[test]
    fn other_addresses_are_fine() {
        for text in ["https://github.com/vim/vim", "// registry of signals", "self.registry.len()"] {
            assert_eq!(check(&source("a.rs", text)), [], "{text}");
        }
    }
}
