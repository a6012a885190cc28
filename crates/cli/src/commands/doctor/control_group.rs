//! Control groups: whom a service manager ends together.

use std::fmt::Display;
use std::fs;

/// The control group of a process, as its service manager sees it; nothing if the process is gone.
pub(super) fn of(pid: impl Display) -> Option<String> {
    parse(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

/// Where machines have both hierarchies, the named one is the service manager's.
fn parse(groups: &str) -> Option<String> {
    let named = groups.lines().find_map(|line| line.split_once(":name=systemd:").map(|(_, group)| group));
    let group = named.or_else(|| groups.lines().find_map(|line| line.strip_prefix("0::")))?;
    Some(model::display_safe(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_managers_hierarchy_is_the_one_that_counts() {
        let new = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/abide.service\n";
        assert!(parse(new).unwrap().ends_with("/abide.service"));
        let both = "12:pids:/p\n1:name=systemd:/user.slice/session-2.scope\n0::/\n";
        assert_eq!(parse(both).unwrap(), "/user.slice/session-2.scope");
        assert_eq!(parse("4:memory:/m\n"), None);
    }

    #[test]
    fn we_are_in_one_ourselves() {
        assert_eq!(of("self"), of(std::process::id()));
    }
}
