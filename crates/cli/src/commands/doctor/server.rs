//! The server, and whether hosts would end with it.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use api::HealthStatus;
use client::Client;
use home::{Home, Identity, ServerNote, WorkerDir};
use rustix::process::geteuid;

use super::check::Check;
use super::service_manager::group_of;
use crate::commands::upgrade::RELEASE;
use crate::failure::Failure;

const SUBJECT: &str = "server";

/// The group of all processes: it ends only with the machine or the container.
const ROOT: &str = "/";

pub(super) fn checks(home: &Home) -> Vec<Check> {
    let Some(note) = ServerNote::running(home) else {
        return vec![Check::ok(SUBJECT, "does not run; `abide serve` starts it. Terminals do not need it")];
    };
    let mut checks = vec![state(home, &note)];
    checks.extend(socket(home, &note));
    checks.extend(together(home, &note.identity));
    checks
}

fn state(home: &Home, note: &ServerNote) -> Check {
    let health = match Client::of(home).and_then(|server| server.health()) {
        Ok(health) => health,
        Err(error) => {
            let failure = Failure::from(error);
            let remedy = failure.way_on().unwrap_or("restart the server").to_owned();
            return Check::warn(SUBJECT, failure.sentence(), remedy);
        }
    };
    let (url, release) = (model::display_safe(&note.url), model::display_safe(&note.release));
    let finding = format!("{url}, process {}, release {release}", note.identity.pid);
    if health.status == HealthStatus::Degraded {
        let reason =
            health.reason.as_deref().map_or_else(|| "it gives no reason".into(), model::display_safe);
        return Check::warn(
            SUBJECT,
            format!("{finding}; it cannot save its data: {reason}"),
            "check that the disk has space and is writable, then restart the server",
        );
    }
    if note.release != RELEASE {
        return Check::warn(
            SUBJECT,
            format!("{finding}; this is {RELEASE}"),
            "restart the server; terminals keep running",
        );
    }
    Check::ok(SUBJECT, finding)
}

/// The server's socket, over which `abide` and agents send their tokens. If there is none, the check of the server says so.
fn socket(home: &Home, note: &ServerNote) -> Option<Check> {
    const SUBJECT: &str = "server socket";
    let path = note.socket_path(home)?;
    let shown = model::display_safe(&path.display().to_string());
    let wrong = match fs::symlink_metadata(&path) {
        Err(error) => format!("`{shown}` cannot be read: {error}"),
        Ok(found) if !found.file_type().is_socket() => format!("`{shown}` is no socket"),
        Ok(found) if found.uid() != geteuid().as_raw() => format!("`{shown}` belongs to another user"),
        Ok(found) if found.mode() & 0o077 != 0 => format!("other users may use `{shown}`"),
        Ok(_) => return Some(Check::ok(SUBJECT, shown)),
    };
    Some(Check::warn(SUBJECT, wrong, "restart the server, which makes it again; terminals keep running"))
}

/// Hosts in the control group of the server: they end when that group is ended as a whole.
fn together(home: &Home, server: &Identity) -> Option<Check> {
    let hosts: Vec<Identity> = home.worker_dirs().ok()?.iter().filter_map(WorkerDir::identity).collect();
    let alive = hosts.iter().filter(|host| host.is_alive());
    let groups: Vec<String> = alive.filter_map(|host| group_of(host.pid)).collect();
    inside(&group_of(server.pid)?, &groups)
}

fn inside(server: &str, hosts: &[String]) -> Option<Check> {
    const SUBJECT: &str = "control groups";
    if server == ROOT {
        return None;
    }
    let (all, inside) = (hosts.len(), hosts.iter().filter(|host| *host == server).count());
    Some(match inside {
        0 => Check::ok(SUBJECT, format!("none of {all} hosts is in the server's group ({server})")),
        _ => Check::warn(
            SUBJECT,
            format!("{inside} of {all} hosts are in the server's group ({server}): they end with that group"),
            "with a systemd user manager and `scope = \"auto\"`, new hosts get their own; the unit of \
             `abide service install` ends only the server",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::Verdict;
    use super::*;

    #[test]
    fn p2_hosts_that_would_end_with_the_server_are_a_warning() {
        let own = "/user.slice/user@1000.service/app.slice/abide-k7f2.scope".to_owned();
        let shared = "/user.slice/user@1000.service/app.slice/abide.service".to_owned();
        let verdict = |hosts: &[&String]| {
            let hosts: Vec<String> = hosts.iter().map(|&host| host.clone()).collect();
            inside(&shared, &hosts).unwrap().verdict
        };
        assert_eq!(verdict(&[]), Verdict::Ok);
        assert_eq!(verdict(&[&own]), Verdict::Ok);
        assert_eq!(verdict(&[&own, &shared]), Verdict::Warn);
        assert!(inside(ROOT, &[ROOT.to_owned()]).is_none(), "the group of all processes is never ended");
    }
}
