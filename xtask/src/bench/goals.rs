//! The host's goals, and what a run says about them.

use super::samples::{Samples, median, ratios};
use super::table::Table;
use Bound::{AlwaysAtLeast, AlwaysAtMost, AtLeast, AtMost};

/// Ours, by the name that termbench has for it.
const ABIDE: &str = "abide";

/// A goal: its number, what it is about, and every number that must keep a bound.
type Goal = (&'static str, &'static str, &'static [Check]);

/// All of them. Streams are ascii, sgr, unicode and tui, in this order.
const GOALS: &[Goal] = &[
    (
        "G1",
        "detached, MB/s × raw",
        &[
            times("raw", "detached ascii MB/s", AtLeast(0.7)),
            times("raw", "detached sgr MB/s", AtLeast(0.9)),
            times("raw", "detached unicode MB/s", AtLeast(0.9)),
            times("raw", "detached tui MB/s", AtLeast(0.9)),
        ],
    ),
    (
        "G2",
        "detached, server CPU × tmux",
        &[
            times("tmux", "detached ascii server cpu s/GB", AtMost(0.25)),
            times("tmux", "detached sgr server cpu s/GB", AtMost(0.12)),
            times("tmux", "detached unicode server cpu s/GB", AtMost(0.08)),
            times("tmux", "detached tui server cpu s/GB", AtMost(0.15)),
        ],
    ),
    (
        "G3",
        "attached, MB/s × raw",
        &[
            times("raw", "attached ascii MB/s", AtLeast(0.6)),
            times("raw", "attached sgr MB/s", AtLeast(0.8)),
            times("raw", "attached unicode MB/s", AtLeast(0.8)),
            times("raw", "attached tui MB/s", AtLeast(0.8)),
        ],
    ),
    (
        "G3",
        "attached, resyncs in any round",
        &[
            plain("attached ascii resyncs", AlwaysAtMost(0.0)),
            plain("attached sgr resyncs", AlwaysAtMost(0.0)),
            plain("attached unicode resyncs", AlwaysAtMost(0.0)),
            plain("attached tui resyncs", AlwaysAtMost(0.0)),
        ],
    ),
    (
        "G3",
        "attached, bytes received × raw, in any round",
        &[
            times("raw", "attached ascii out/in", AlwaysAtLeast(1.0)),
            times("raw", "attached sgr out/in", AlwaysAtLeast(1.0)),
            times("raw", "attached unicode out/in", AlwaysAtLeast(1.0)),
            times("raw", "attached tui out/in", AlwaysAtLeast(1.0)),
        ],
    ),
    ("G4", "ten viewers, server CPU × tmux", &[times("tmux", "10 viewers server cpu s/GB", AtMost(0.12))]),
    ("G4", "ten viewers, MB/s × tmux", &[times("tmux", "10 viewers MB/s", AtLeast(5.0))]),
    (
        "G4",
        "one of ten stalled, MB/s of the others and of the child × none stalled",
        &[
            beside("10 viewers others MB/s", "10 viewers, one stalled, others MB/s", AtLeast(0.95)),
            beside("10 viewers child MB/s", "10 viewers, one stalled, child MB/s", AtLeast(0.95)),
        ],
    ),
    (
        "G5",
        "echo back to back, p50 and p99 × tmux",
        &[times("tmux", "echo p50 us", AtMost(0.75)), times("tmux", "echo p99 us", AtMost(0.3))],
    ),
    (
        "G5",
        "echo at a person's pace, p50 and p99 × tmux",
        &[times("tmux", "echo paced p50 us", AtMost(0.75)), times("tmux", "echo paced p99 us", AtMost(0.3))],
    ),
    ("G6", "echo, a neighbour flooding, p50 × tmux", &[times("tmux", "echo flooded p50 us", AtMost(0.3))]),
    (
        "G7",
        "echo over the host's socket, back to back and paced, p50 × raw",
        &[
            times("raw", "echo direct p50 us", AtMost(2.5)),
            times("raw", "echo direct paced p50 us", AtMost(2.5)),
        ],
    ),
    (
        "G8",
        "attach to full paint, 0, 10k and 50k lines, ms × tmux",
        &[
            times("tmux", "attach 0k ms", AtMost(0.35)),
            times("tmux", "attach 10k ms", AtMost(0.35)),
            times("tmux", "attach 50k ms", AtMost(0.35)),
        ],
    ),
    (
        "G8",
        "attach, 0, 10k and 50k lines, bytes",
        &[
            plain("attach 0k bytes", AtMost(6000.0)),
            plain("attach 10k bytes", AtMost(6000.0)),
            plain("attach 50k bytes", AtMost(6000.0)),
        ],
    ),
    (
        "G9",
        "PSS MB of a worker with 10k and 50k lines",
        &[plain("memory 10k PSS MB", AtMost(2.0)), plain("memory 50k PSS MB", AtMost(2.0))],
    ),
    ("G10", "PSS MB of each of many idle workers", &[plain("many PSS MB each", AtMost(0.5))]),
    ("G11", "CPU of many idle workers, ms/s", &[plain("many idle cpu ms/s", AtMost(0.0))]),
    (
        "G12",
        "create, the first and the next, ms × tmux",
        &[times("tmux", "create first ms", AtMost(0.55)), times("tmux", "create next ms", AtMost(0.55))],
    ),
];

/// A number of ours that must keep a bound.
struct Check {
    measure: &'static str,
    /// What it is divided by: the same measure of another system, or another measure of ours.
    by: Option<By>,
    bound: Bound,
}

enum By {
    System(&'static str),
    Measure(&'static str),
}

/// What a number must be: the median of all rounds, or the worst of them.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
    AlwaysAtLeast(f64),
    AlwaysAtMost(f64),
}

const fn plain(measure: &'static str, bound: Bound) -> Check {
    Check { measure, by: None, bound }
}

const fn times(system: &'static str, measure: &'static str, bound: Bound) -> Check {
    Check { measure, by: Some(By::System(system)), bound }
}

const fn beside(other: &'static str, measure: &'static str, bound: Bound) -> Check {
    Check { measure, by: Some(By::Measure(other)), bound }
}

impl Check {
    /// The number, if everything it needs was measured.
    fn measured(&self, samples: &Samples) -> Option<f64> {
        let ours = samples.of(self.measure, ABIDE);
        let values = match self.by {
            None => ours.to_vec(),
            Some(By::System(system)) => ratios(ours, samples.of(self.measure, system)),
            Some(By::Measure(other)) => ratios(ours, samples.of(other, ABIDE)),
        };
        match self.bound {
            AtLeast(_) | AtMost(_) => median(&values),
            AlwaysAtLeast(_) => values.into_iter().min_by(f64::total_cmp),
            AlwaysAtMost(_) => values.into_iter().max_by(f64::total_cmp),
        }
    }
}

impl Bound {
    fn is_kept(self, number: f64) -> bool {
        match self {
            AtLeast(bound) | AlwaysAtLeast(bound) => number >= bound,
            AtMost(bound) | AlwaysAtMost(bound) => number <= bound,
        }
    }

    fn show(self) -> String {
        match self {
            AtLeast(bound) | AlwaysAtLeast(bound) => format!("≥ {bound}"),
            AtMost(bound) | AlwaysAtMost(bound) => format!("≤ {bound}"),
        }
    }
}

/// Every goal, the measured numbers, and whether they reach it.
pub(super) fn table(samples: &Samples) -> Table {
    let mut table = Table::new("", &["what", "goal", "measured", ""]);
    for (name, what, checks) in GOALS {
        let measured: Vec<Option<f64>> = checks.iter().map(|check| check.measured(samples)).collect();
        let bounds = checks.iter().map(|check| check.bound.show());
        let shown = measured.iter().map(|number| number.map_or("–".to_owned(), show));
        let row =
            vec![(*what).to_owned(), joined(bounds), joined(shown), verdict(checks, &measured).to_owned()];
        table.add(name, row);
    }
    table
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" / ")
}

fn verdict(checks: &[Check], measured: &[Option<f64>]) -> &'static str {
    let mut kept = checks.iter().zip(measured).map(|(check, number)| Some(check.bound.is_kept((*number)?)));
    match kept.try_fold(true, |all, kept| Some(all && kept?)) {
        Some(true) => "reached",
        Some(false) => "**missed**",
        None => "not measured",
    }
}

fn show(number: f64) -> String {
    match number.abs() {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(samples: &str, what: &str) -> String {
        let table = table(&Samples::read(samples).unwrap()).to_string();
        table.lines().find(|line| line.contains(what)).unwrap().to_owned()
    }

    #[test]
    fn a_goal_is_reached_when_every_number_keeps_its_bound() {
        let reached = "memory 10k PSS MB\tabide\t1.9\nmemory 50k PSS MB\tabide\t2\n";
        let what = "PSS MB of a worker with 10k and 50k lines";
        assert_eq!(row(reached, what), format!("| G9 | {what} | ≤ 2 / ≤ 2 | 1.90 / 2.00 | reached |"));
        let missed = "memory 10k PSS MB\tabide\t1.9\nmemory 50k PSS MB\tabide\t2.1\n";
        assert!(row(missed, what).ends_with("| 1.90 / 2.10 | **missed** |"));
        assert!(row("memory 10k PSS MB\tabide\t1\n", what).ends_with("| 1.00 / – | not measured |"));
    }

    #[test]
    fn ratios_compare_the_same_round() {
        let samples = "10 viewers MB/s\ttmux\t1\t2\t4\n10 viewers MB/s\tabide\t6\t8\t28\n";
        assert!(row(samples, "ten viewers, MB/s").ends_with("| ≥ 5 | 6.00 | reached |"));
    }

    #[test]
    fn goals_that_must_never_be_missed_are_judged_by_the_worst_round() {
        let resyncs = |stream, worst| format!("attached {stream} resyncs\tabide\t0\t0\t{worst}\n");
        let all: String =
            [("ascii", 0), ("sgr", 0), ("unicode", 1), ("tui", 0)].map(|(s, n)| resyncs(s, n)).concat();
        assert!(row(&all, "resyncs").ends_with("| 0.00 / 0.00 / 1.00 / 0.00 | **missed** |"));
    }
}
