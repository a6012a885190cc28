//! The snapshot's laws, with xterm.js headless as the judge.
//!
//! A stream is cut in two. One oracle is fed the first part, another one the snapshot that our terminal makes of it:
//! they must agree. Then both are fed the second part and must agree again, which shows state that no screen shows.
//!
//! The oracle is a Node program beside this file; `npm ci` in this folder fetches it. These variables steer the tests:
//!
//! | Variable | Meaning |
//! | --- | --- |
//! | `ABIDE_ORACLE_STREAMS` | how many generated streams to judge |
//! | `ABIDE_ORACLE_FROM` | the seed of the first of them |
//! | `ABIDE_ORACLE_SEED` | judge this one seed only, and say what each case gave |
//! | `ABIDE_ORACLE_LIMIT` | how many cases of each class `triage` shrinks |
//! | `ABIDE_ORACLE_CASE` | the case that `one_case` shows and `minimise` shrinks, as failures print it |
//! | `ABIDE_ORACLE_ASPECT` | the `stage:aspect` to keep while shrinking; else the first that differs |

mod case;
mod judged;
mod lexer;
mod server;
mod shrink;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ops::Range;

use case::{Case, Form, Source};
use judged::Tally;
use serde_json::json;
use server::Oracle;
use terminal::{HistoryLimit, Terminal};
use testkit::Random;

/// Enough to meet every family of sequences many times over in under a minute of a development build.
const GENERATED_STREAMS: u64 = 800;

/// What xterm.js and we make of a stream may differ by its own faults in at most one case of this many.
const VOID_ONE_IN: usize = 50;

fn number(variable: &str) -> Option<u64> {
    env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

fn start() -> Option<Oracle> {
    match Oracle::start() {
        Ok(oracle) => Some(oracle),
        Err(reason) => {
            testkit::skip(&reason);
            None
        }
    }
}

/// The cuts of a stream: at rest between sequences, anywhere, and at the end.
fn cuts(stream: &[u8], random: &mut Random, count: usize) -> Vec<usize> {
    let rests = lexer::tokens(stream);
    let mut cuts: Vec<usize> = (0..count)
        .map(|i| match i % 2 {
            0 => rests.get(random.below(rests.len())).map_or(0, |token| token.start),
            _ => random.below(stream.len() + 1),
        })
        .collect();
    cuts.push(stream.len());
    cuts
}

/// Each cut as a full snapshot and as a screen, for viewers that were fresh or showed something else.
fn cases(source: &Source, history: usize, random: &mut Random, cut_count: usize) -> Vec<Case> {
    let stream = source.stream();
    let mut cases = Vec::new();
    for cut in cuts(&stream, random, cut_count) {
        for form in [Form::Full, Form::Screen] {
            let dirty = random.weighted(&[(3, 0), (2, 1), (2, 2)]);
            cases.push(Case::new(source.clone(), cut, form, dirty, history));
        }
    }
    cases
}

/// The seeds that the variables ask for.
fn seeds() -> Range<u64> {
    let only = number("ABIDE_ORACLE_SEED");
    let from = only.or(number("ABIDE_ORACLE_FROM")).unwrap_or(1);
    let count = if only.is_some() { 1 } else { number("ABIDE_ORACLE_STREAMS").unwrap_or(GENERATED_STREAMS) };
    from..from + count
}

fn cases_of_seed(seed: u64) -> Vec<Case> {
    let mut random = Random::new(!seed);
    let history = random.weighted(&[(6, 40), (2, 1000), (1, 3), (1, 1)]);
    cases(&Source::Seed(seed), history, &mut random, 2)
}

#[test]
fn recorded_programs_come_back_exactly() {
    let Some(mut oracle) = start() else { return };
    let mut tally = Tally::default();
    for source in Source::recorded() {
        let mut random = Random::new(source.stream().len() as u64);
        for case in cases(&source, 1000, &mut random, 4) {
            tally.judge(&mut oracle, &case);
        }
    }
    tally.assert_exact();
}

#[test]
fn generated_streams_come_back_exactly() {
    let Some(mut oracle) = start() else { return };
    let mut tally = Tally::default();
    tally.loud = number("ABIDE_ORACLE_SEED").is_some();
    for case in seeds().flat_map(cases_of_seed) {
        tally.judge(&mut oracle, &case);
    }
    tally.assert_exact();
}

#[test]
fn resized_screens_keep_their_logical_lines() {
    let Some(mut oracle) = start() else { return };
    let (mut kept, mut judged) = (0, 0);
    for source in Source::recorded() {
        let stream = source.stream();
        let mut random = Random::new(stream.len() as u64);
        for cut in cuts(&stream, &mut random, 2) {
            let case = Case::new(source.clone(), cut, Form::Full, 0, 1000);
            judged += 1;
            match case.judge_resized(&mut oracle, "61x20".parse().expect("a size")).differences.first() {
                None => kept += 1,
                Some(difference) => println!("{case}: {difference}"),
            }
        }
    }
    // Not all: when a line below the cursor is wrapped, xterm.js moves its cursor down, takes that row for the one
    // not to be wrapped and cuts it.
    assert!(kept * 100 >= judged * 93, "{kept} of {judged} cases kept their logical lines");
}

#[test]
fn widths_are_those_of_the_web_viewer() {
    let Some(mut oracle) = start() else { return };
    let all = json!({ "kind": "widths", "unicode": "11", "first": 0xa0, "last": 0x10_ffff });
    let answer = oracle.ask(all, &[]);
    let digits = answer["digits"].as_str().expect("digits");
    assert_eq!(digits.len(), 0x11_0000 - 0xa0);
    let expected = digits.bytes().map(|digit| u16::from(digit - b'0'));
    let mut terminal = Terminal::new("80x24".parse().expect("a size"), HistoryLimit::default());
    for (code, expected) in (0xa0..).zip(expected) {
        // The byte order mark is no character here.
        let Some(c) = char::from_u32(code).filter(|&c| c != '\u{feff}') else { continue };
        terminal.feed(format!("\ra{c}").as_bytes());
        assert_eq!(terminal.cursor().col - 1, expected, "columns of U+{code:04X}");
    }
}

#[test]
fn the_oracle_accepts_the_stream_itself_and_nothing_less() {
    let Some(mut oracle) = start() else { return };
    let mut noticed = BTreeSet::new();
    for seed in 1..=100 {
        for case in cases_of_seed(seed).iter().filter(|case| case.form == Form::Full) {
            let case = Case { dirty: 0, ..case.clone() };
            let itself = case.judge_snapshot(&mut oracle, case.prefix());
            assert!(
                itself.void.is_some() || itself.differences.is_empty(),
                "{case}: {:?}",
                itself.differences
            );
            let nothing = case.judge_snapshot(&mut oracle, b"");
            noticed.extend(nothing.differences.into_iter().map(|difference| difference.aspect));
        }
    }
    let aspects = [
        "attrs",
        "charset",
        "cursor",
        "cursorstyle",
        "kitty",
        "margins",
        "modes",
        "other",
        "palette",
        "pen",
        "saved",
        "sbattrs",
        "screen",
        "scrollback",
        "tabs",
        "text",
        "title",
        "wrap",
        "wrapflags",
    ];
    assert_eq!(noticed, BTreeSet::from(aspects.map(str::to_owned)), "the oracle is blind to something");
}

#[test]
#[ignore = "a tool: shows what one case gives"]
fn one_case() {
    let mut oracle = Oracle::start().expect("the oracle");
    let case: Case = env::var("ABIDE_ORACLE_CASE").expect("ABIDE_ORACLE_CASE").parse().expect("a case");
    shrink::show(&mut oracle, &case);
}

#[test]
#[ignore = "a tool: shrinks one case to the bytes that matter"]
fn minimise() {
    let mut oracle = Oracle::start().expect("the oracle");
    let case: Case = env::var("ABIDE_ORACLE_CASE").expect("ABIDE_ORACLE_CASE").parse().expect("a case");
    let aspect = env::var("ABIDE_ORACLE_ASPECT").ok();
    match shrink::minimise(&mut oracle, &case, aspect.as_deref()) {
        Some(smallest) => shrink::show(&mut oracle, &smallest),
        None => println!("{case}: nothing differs"),
    }
}

#[test]
#[ignore = "a tool: shrinks some cases of every class of difference"]
fn triage() {
    let mut oracle = Oracle::start().expect("the oracle");
    let limit = number("ABIDE_ORACLE_LIMIT").unwrap_or(4);
    let (mut taken, mut shown) = (BTreeMap::<String, u64>::new(), BTreeSet::new());
    for case in seeds().flat_map(cases_of_seed) {
        let verdict = case.judge(&mut oracle);
        let Some(difference) = verdict.differences.first().filter(|_| verdict.void.is_none()) else {
            continue;
        };
        let class = format!("{:?} {}", case.form, difference.class());
        let count = taken.entry(class.clone()).or_default();
        *count += 1;
        if *count > limit {
            continue;
        }
        let smallest =
            shrink::minimise(&mut oracle, &case, Some(&difference.class())).expect("it differed before");
        if shown.insert(smallest.to_string()) {
            println!("{class}\n  {case}\n  {smallest}");
            smallest
                .judge(&mut oracle)
                .differences
                .iter()
                .for_each(|difference| println!("    {difference}"));
        }
    }
    println!("{taken:#?}");
}
