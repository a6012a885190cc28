//! Only the crate `system` uses what Linux alone offers, so that support for another system is one folder.

use super::{Finding, Source};

/// Words that show a use of Linux, each cut in two so that this file passes its own check.
const USES: &[(&str, &str)] = &[
    ("/pr", "oc"),
    ("/sys/", "fs"),
    ("pid", "fd"),
    ("Pid", "Fd"),
    ("ino", "tify"),
    ("peer", "cred"),
    ("ep", "oll"),
    ("timer", "fd"),
    ("event", "fd"),
    ("signal", "fd"),
    ("mem", "fd"),
    ("mad", "vise"),
    ("malloc", "_trim"),
    ("oom", "_score"),
    ("cg", "roup"),
    ("pr", "ctl"),
    ("tiocgpt", "peer"),
    ("set", "sid("),
    ("get", "random"),
    ("OFlags::PA", "TH"),
    ("os::li", "nux"),
];

/// Checks programs and libraries. Tests, examples and our own tools may use Linux.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let path = source.path.to_string_lossy();
    let is_product = path.starts_with("crates/") && path.contains("/src/") && source.is("rs");
    if !is_product || path.starts_with("crates/system/") || path.ends_with("tests.rs") {
        return Vec::new();
    }
    let code = source.lines().take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let (front, back) = USES.iter().find(|(front, back)| line.contains(&format!("{front}{back}")))?;
        let what = format!("`{front}{back}` is Linux: ask the crate `system`, or add it there");
        Some(source.finding(number, what))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    #[test]
    fn linux_is_found_outside_its_crate() {
        let text = format!("// {0}\nlet a = {0};\n#[cfg(test)]\nlet b = {0};\n", ["ep", "oll"].concat());
        let found = check(&source("crates/host/src/run.rs", &text));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2]);
        for path in ["crates/system/src/linux/events.rs", "crates/cli/tests/it/main.rs", "xtask/src/main.rs"]
        {
            assert_eq!(check(&source(path, &text)), []);
        }
    }
}
