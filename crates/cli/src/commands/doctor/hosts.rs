//! The hosts that run, the workers that were lost, and the keeper.

use std::collections::BTreeMap;

use home::{Home, Worker};
use protocol::StatusReport;

use super::check::Check;
use crate::commands::ls::with_life;
use crate::commands::upgrade::RELEASE;
use crate::settings::Settings;
use viewer::reach::{self, Condition};

/// So many names are enough to go on.
const NAMES_SHOWN: usize = 5;

pub(super) fn checks(home: &Home, settings: &Settings) -> Vec<Check> {
    let workers = match with_life(home) {
        Ok(workers) => workers,
        Err(failure) => return vec![Check::of_failure("workers", &failure)],
    };
    let live: Vec<(&Worker, &StatusReport)> = workers
        .iter()
        .filter_map(|(worker, condition)| match condition {
            Condition::Live(report) => Some((worker, report.as_ref())),
            _ => None,
        })
        .collect();
    let mut checks = vec![releases(&live), keeper(home, settings, &live)];
    checks.extend(named(&workers, |condition| matches!(condition, Condition::NotAnswering { .. })).map(
        |names| {
            Check::warn(
                "hosts",
                format!("not answering: {names}"),
                "they may be stopped, or the machine is overloaded; see `abide ls --json`",
            )
        },
    ));
    checks.extend(named(&workers, |condition| matches!(condition, Condition::Lost)).map(|names| {
        Check::warn(
            "workers",
            format!("lost: {names}"),
            "`abide logs` prints their output, `abide rm` removes them",
        )
    }));
    checks.extend(
        named(&workers, |condition| matches!(condition, Condition::Exited(note) if note.survivors > 0)).map(
            |names| {
                Check::warn(
                    "workers",
                    format!("ended, but left processes running: {names}"),
                    "`abide kill --survivors` ends these processes",
                )
            },
        ),
    );
    checks.extend(live.iter().filter_map(|(worker, report)| recording(worker, report)));
    checks.extend(live.iter().filter_map(|(worker, report)| model_failures(worker, report)));
    checks
}

fn releases(live: &[(&Worker, &StatusReport)]) -> Check {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, report) in live {
        *counts.entry(model::display_safe(&report.release)).or_default() += 1;
    }
    let counted: Vec<String> =
        counts.iter().map(|(release, count)| format!("{count} of {release}")).collect();
    match counts.keys().any(|release| release != RELEASE) {
        true => Check::warn(
            "releases",
            format!("this is {RELEASE}; hosts: {}", counted.join(", ")),
            "`abide upgrade --all` upgrades them to this release",
        ),
        false if live.is_empty() => Check::ok("releases", format!("this is {RELEASE}; no hosts run")),
        false => Check::ok("releases", format!("this is {RELEASE}; hosts: {}", counted.join(", "))),
    }
}

fn keeper(home: &Home, settings: &Settings, live: &[(&Worker, &StatusReport)]) -> Check {
    const SUBJECT: &str = "keeper";
    if !settings.keeper {
        return Check::warn(
            SUBJECT,
            "switched off: if a host is killed, its program ends too",
            "set `keeper = true`, so that programs survive",
        );
    }
    if live.is_empty() {
        return Check::ok(SUBJECT, "starts with the first worker");
    }
    if !reach::keeper_runs(home) {
        return Check::warn(
            SUBJECT,
            "does not run: if a host is killed, its program ends too",
            format!("`abide new` starts it; its log: {}", home.keeper_log().display()),
        );
    }
    let unleased: Vec<&str> = live
        .iter()
        .filter(|(_, report)| !report.leased)
        .map(|(worker, _)| worker.meta.name.as_str())
        .collect();
    if unleased.is_empty() {
        return Check::ok(SUBJECT, format!("runs, and holds the leases of {} hosts", live.len()));
    }
    Check::warn(
        SUBJECT,
        format!("runs, but holds no lease of {}", shortened(&unleased)),
        format!("its log may say why: {}", home.keeper_log().display()),
    )
}

fn recording(worker: &Worker, report: &StatusReport) -> Option<Check> {
    let trouble = report.recording.trouble.as_deref()?;
    let finding = format!("{}: {}", worker.meta.name, model::display_safe(trouble));
    Some(Check::warn(
        "recordings",
        finding,
        "the worker keeps running; check that the disk has space and is writable",
    ))
}

fn model_failures(worker: &Worker, report: &StatusReport) -> Option<Check> {
    let finding =
        format!("{}: failed {} times, and the host rebuilt it", worker.meta.name, report.model_failures);
    let remedy = format!("please report this, with the log: {}", worker.dir.log().display());
    (report.model_failures > 0).then(|| Check::warn("terminal model", finding, remedy))
}

fn named(workers: &[(Worker, Condition)], is_meant: impl Fn(&Condition) -> bool) -> Option<String> {
    let meant = workers.iter().filter(|(_, condition)| is_meant(condition));
    let names: Vec<&str> = meant.map(|(worker, _)| worker.meta.name.as_str()).collect();
    (!names.is_empty()).then(|| shortened(&names))
}

fn shortened(names: &[&str]) -> String {
    match names.split_at_checked(NAMES_SHOWN) {
        Some((first, rest)) if !rest.is_empty() => format!("{} and {} more", first.join(", "), rest.len()),
        _ => names.join(", "),
    }
}
