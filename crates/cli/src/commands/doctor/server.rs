//! The server, and whether hosts would end with it.

use ::server::lock::{self, ServerNote};
use api::{Health, HealthStatus};
use home::{Home, Identity, WorkerDir};

use super::check::Check;
use super::control_group;
use crate::commands::upgrade::RELEASE;
use crate::server_client::Server;

const SUBJECT: &str = "server";

/// The group of all processes: nobody ends that and lets the machine or the container go on.
const ROOT: &str = "/";

pub(super) fn checks(home: &Home) -> Vec<Check> {
    let Some(note) = lock::running(home) else {
        return vec![Check::ok(SUBJECT, "does not run: `abide serve` starts it, and terminals need none")];
    };
    let mut checks = vec![state(home, &note)];
    checks.extend(together(home, &note.identity));
    checks
}

fn state(home: &Home, note: &ServerNote) -> Check {
    let health: Health = match Server::of(home).and_then(|server| server.get("/api/health")) {
        Ok(health) => health,
        Err(failure) => {
            let remedy = failure.way_on().unwrap_or("start it again").to_owned();
            return Check::warn(SUBJECT, failure.sentence(), remedy);
        }
    };
    let (url, release) = (model::display_safe(&note.url), model::display_safe(&note.release));
    let finding = format!("{url}, process {}, release {release}", note.identity.pid);
    if health.status == HealthStatus::Degraded {
        let reason =
            health.reason.as_deref().map_or_else(|| "it does not say why".into(), model::display_safe);
        return Check::warn(
            SUBJECT,
            format!("{finding}; it cannot save: {reason}"),
            "see that the disk has room and can be written, then start it again",
        );
    }
    if note.release != RELEASE {
        return Check::warn(
            SUBJECT,
            format!("{finding}; this is {RELEASE}"),
            "start it again: no terminal notices",
        );
    }
    Check::ok(SUBJECT, finding)
}

/// Hosts in the control group of the server: whoever ends that as a whole ends them too.
fn together(home: &Home, server: &Identity) -> Option<Check> {
    let hosts: Vec<Identity> = home.worker_dirs().ok()?.iter().filter_map(WorkerDir::identity).collect();
    let alive = hosts.iter().filter(|host| host.is_alive());
    let groups: Vec<String> = alive.filter_map(|host| control_group::of(host.pid)).collect();
    inside(&control_group::of(server.pid)?, &groups)
}

fn inside(server: &str, hosts: &[String]) -> Option<Check> {
    const SUBJECT: &str = "control groups";
    if server == ROOT {
        return None;
    }
    let (all, inside) = (hosts.len(), hosts.iter().filter(|host| *host == server).count());
    Some(match inside {
        0 => Check::ok(SUBJECT, format!("none of {all} hosts is in the server's ({server})")),
        _ => Check::warn(
            SUBJECT,
            format!("{inside} of {all} hosts are in the server's ({server}): who ends that ends them"),
            "with a systemd user manager and `scope = \"auto\"` new ones get their own; the unit of \
             `abide service install` ends the server alone",
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
        assert!(inside(ROOT, &[ROOT.to_owned()]).is_none(), "nobody ends all processes");
    }
}
