//! Judges the detector by recordings with markers: `judge FILE.cast=AGENT …`. Prints a line for each set of sources, and
//! below it what was wrong. Reads `FILE.hooks.jsonl` too, if it is there.

use std::fs;
use std::time::Duration;

use agents::{AgentId, Agents, Evidence};
use judge::{Recording, judge};

#[path = "../tests/it/judge.rs"]
mod judge;

fn main() {
    let agents = Agents::builtin();
    for argument in std::env::args().skip(1) {
        let (file, id) = argument.split_once('=').unwrap_or((&argument, "generic"));
        let cast = fs::read(file).expect("a recording");
        let hooks = fs::read_to_string(file.replace(".cast", ".hooks.jsonl")).unwrap_or_default();
        let hook = |line: &str| {
            let (seconds, event) = serde_json::from_str(line).expect("`[seconds, event]`");
            (Duration::from_secs_f64(seconds), event)
        };
        let recording = Recording { cast, hooks: hooks.lines().map(hook).collect() };
        let agent = agents.get(&id.parse::<AgentId>().expect("an id")).expect("a known agent");
        println!("{file} ({id})");
        for (name, muted) in sources() {
            let agent = if name == "unknown program" { agents.generic() } else { agent };
            let verdict = judge(&recording, agent, &muted, str::to_owned);
            println!(
                "  {name:<16} {:5.1} %, {} of {} questions noticed, the slowest after {:?}, {} made up",
                verdict.share() * 100.0,
                verdict.noticed,
                verdict.asks,
                verdict.slowest,
                verdict.false_asking.len(),
            );
            for mistake in &verdict.mistakes {
                println!("      {mistake}");
            }
        }
    }
}

/// Sets of sources, by the sources that are taken away.
fn sources() -> Vec<(&'static str, Vec<Evidence>)> {
    use Evidence::{Hook, Notification, ProgramStatus, Progress, PromptMark, Screen, Title};
    let but = |kept: Evidence| {
        let all = [ProgramStatus, Hook, Title, Progress, Notification, Screen, PromptMark];
        all.into_iter().filter(|source| *source != kept).collect::<Vec<_>>()
    };
    vec![
        ("all", Vec::new()),
        ("quiet", vec![ProgramStatus, Hook]),
        ("hooks", but(Hook)),
        ("title", but(Title)),
        ("screen", but(Screen)),
        ("unknown program", but(Screen)),
    ]
}
