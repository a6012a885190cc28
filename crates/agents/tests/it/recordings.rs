//! The detector over recordings of real agents, with all of its sources and with some of them taken away.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{Agents, Evidence};

use crate::judge::{Recording, Verdict, judge};

const ALL_BUT_SCREEN: [Evidence; 6] = [
    Evidence::ProgramStatus,
    Evidence::Hook,
    Evidence::Title,
    Evidence::Progress,
    Evidence::Notification,
    Evidence::PromptMark,
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn read(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(fixtures().join(format!("{name}.zst"))).ok()?;
    Some(zstd::decode_all(bytes.as_slice()).expect("compressed with zstd"))
}

pub(crate) fn recording(name: &str) -> Recording {
    let cast = read(&format!("{name}.cast")).expect("a fixture");
    let hooks = read(&format!("{name}.hooks.jsonl")).unwrap_or_default();
    let lines = String::from_utf8(hooks).expect("text");
    let hook = |line: &str| {
        let (seconds, event) = serde_json::from_str::<(f64, serde_json::Value)>(line).expect("an event");
        (Duration::from_secs_f64(seconds), event)
    };
    Recording { cast, hooks: lines.lines().map(hook).collect() }
}

/// All recordings of agents, and the agent that each is of.
pub(crate) fn all() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(fixtures()).expect("the fixtures");
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()));
    let casts = names.filter_map(|name| Some(name.strip_suffix(".cast.zst")?.to_owned()));
    let mut all: Vec<_> = casts
        .filter(|name| !name.starts_with("vim") && !name.starts_with("shell"))
        .map(|name| (name.split('-').next().unwrap_or_default().to_owned(), name))
        .collect();
    all.sort();
    assert!(all.len() >= 17, "{all:?}");
    all
}

/// Judges all recordings for which `wanted` holds, asserts that each question was noticed and none was made up, and
/// returns the share of the time that was right.
fn check(muted: &[Evidence], change: impl Fn(&str) -> String, wanted: impl Fn(&Recording) -> bool) -> f64 {
    let agents = Agents::builtin();
    let (mut right, mut judged) = (Duration::ZERO, Duration::ZERO);
    let mut shares = BTreeMap::new();
    for (agent, name) in all() {
        let recording = recording(&name);
        if !wanted(&recording) {
            continue;
        }
        let agent = agents.get(&agent.parse().expect("an id")).expect("it comes with abide");
        let verdict: Verdict = judge(&recording, agent, muted, &change);
        assert_eq!(verdict.noticed, verdict.asks, "{name}: {:?}", verdict.mistakes);
        assert!(verdict.false_asking.is_empty(), "{name}: {:?}", verdict.mistakes);
        right += verdict.right;
        judged += verdict.judged;
        shares.insert(name, verdict.share());
    }
    let share = right.as_secs_f64() / judged.as_secs_f64();
    println!("{share:.4} {shares:?}");
    share
}

fn speaks_exactly(recording: &Recording) -> bool {
    let text = String::from_utf8_lossy(&recording.cast);
    !recording.hooks.is_empty() || text.contains("]7501;state=")
}

#[test]
fn an_agent_that_speaks_of_itself_is_known_exactly() {
    let share = check(&[], str::to_owned, speaks_exactly);
    assert!(share >= 0.98, "{share}");
}

#[test]
fn titles_and_screens_alone_know_nearly_all() {
    let share = check(&[Evidence::ProgramStatus, Evidence::Hook], str::to_owned, |_| true);
    assert!(share >= 0.96, "{share}");
}

#[test]
fn the_screen_alone_knows_every_question() {
    let share = check(&ALL_BUT_SCREEN, str::to_owned, |_| true);
    assert!(share >= 0.93, "{share}");
}

#[test]
fn other_spinners_and_bullets_change_nothing() {
    let change = |text: &str| {
        let glyphs = [('✻', '✺'), ('✽', '✷'), ('✶', '✸'), ('⠋', '⠟'), ('◐', '◒'), ('◑', '◓'), ('❯', '▸')];
        text.chars().map(|c| glyphs.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to)).collect()
    };
    let share = check(&ALL_BUT_SCREEN, change, |_| true);
    assert!(share >= 0.90, "{share}");
}

#[test]
fn a_program_of_which_nothing_is_known_is_seen_asking() {
    let agents = Agents::builtin();
    for (_, name) in all() {
        let verdict = judge(&recording(&name), agents.generic(), &ALL_BUT_SCREEN, str::to_owned);
        assert_eq!(verdict.noticed, verdict.asks, "{name}: {:?}", verdict.mistakes);
    }
}

#[test]
fn an_editor_and_a_shell_ask_nothing() {
    let agents = Agents::builtin();
    for name in ["vim", "shell-bash-osc133"] {
        for agent in [agents.generic(), agents.get(&"shell".parse().expect("an id")).expect("a shell")] {
            let verdict = judge(&recording(name), agent, &[], str::to_owned);
            let asks = |change: &agents::Change| change.state.activity == model::Activity::Asking;
            assert!(!verdict.changes.iter().any(asks), "{name}: {:?}", verdict.changes);
        }
    }
}
