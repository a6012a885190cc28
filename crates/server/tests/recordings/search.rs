use std::fs;
use std::time::Duration;

use model::{MaskPolicy, WorkerId};
use server::recordings::{Asked, Found, Hit, Masks, RecordingError, SearchCursor, Stop, Stopped, search};
use testkit::Random;

use crate::life::{House, Life, after_ms, seal, secret};

fn masks(house: &House) -> Masks {
    Masks::read(house.home()).expect("rules")
}

fn find(house: &House, masks: &Masks, asked: Asked<'_>) -> Found {
    search(house.home(), masks, &asked, &Stop::default()).expect("a valid pattern")
}

/// All hits, page by page.
fn all(house: &House, mut asked: Asked<'_>) -> Vec<Hit> {
    let (masks, mut all) = (masks(house), Vec::new());
    loop {
        let found = find(house, &masks, asked);
        assert!(found.hits.len() <= asked.limit && found.is_complete);
        all.extend(found.hits);
        assert!(all.len() < 10_000, "the pages do not end");
        match found.next {
            None => return all,
            Some(next) => asked.before = Some(next.to_string().parse::<SearchCursor>().expect("a cursor")),
        }
    }
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.line.as_str()).collect()
}

/// A worker with two rows, so that lines settle while others are printed.
fn life(house: &House, number: u8) -> Life {
    let mut life = house.life(number);
    life.resize(60, 2);
    life
}

#[test]
fn the_newest_hit_of_all_workers_comes_first() {
    let house = House::new();
    let (mut one, mut two) = (life(&house, 1), life(&house, 2));
    for number in 0..6 {
        one.wait_ms(1_000).print(format!("needle one {number}\r\n"));
        two.wait_ms(1_100).print(format!("needle two {number}\r\n"));
    }
    one.exit();
    two.exit();
    let hits = all(&house, Asked::new("needle"));
    assert_eq!(hits.len(), 12);
    assert!(hits.is_sorted_by(|newer, older| newer.at >= older.at), "{hits:?}");
    assert_eq!(hits[0].worker, WorkerId::from_random([2; 8]));
    assert_eq!(&hits[0].line[hits[0].matches[0].clone()], "needle");
    let only = [WorkerId::from_random([1; 8])];
    let hits = all(&house, Asked { workers: Some(&only), ..Asked::new("NEEDLE|needle one") });
    assert!(hits.len() == 6 && hits.iter().all(|hit| hit.worker == only[0]), "{hits:?}");
    assert_eq!(find(&house, &masks(&house), Asked { workers: Some(&[]), ..Asked::new("needle") }).hits, []);
    let within = Asked { since: Some(after_ms(3_000)), until: Some(after_ms(4_000)), ..Asked::new("one") };
    assert!(all(&house, within).iter().all(|hit| hit.at >= after_ms(3_000) && hit.at <= after_ms(4_000)));
    assert_eq!(all(&house, within).len(), 2);
}

#[test]
fn all_pages_together_contain_every_hit_once() {
    for seed in 0..6 {
        let house = House::new();
        let mut random = Random::new(seed);
        let mut printed = 0;
        for number in 1..4 {
            let mut life = life(&house, number);
            for _ in 0..random.between(1, 12) {
                // Many lines with the same time, in several workers.
                life.wait_ms(random.below(3) as u64 * 1_000);
                for _ in 0..random.between(1, 20) {
                    life.print(format!("needle {printed}\r\n"));
                    printed += 1;
                }
                if random.percent(20) {
                    life.segment();
                }
            }
            life.exit();
            if random.percent(50) {
                seal(&life, MaskPolicy::Always);
            }
        }
        let whole = all(&house, Asked::new("needle"));
        let mut numbers: Vec<usize> =
            texts(&whole).iter().map(|line| line[7..].parse().expect("a number")).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..printed).collect::<Vec<_>>(), "seed {seed}");
        for limit in [1, 2, 7, 40] {
            let paged = all(&house, Asked { limit, ..Asked::new("needle") });
            assert_eq!(texts(&paged), texts(&whole), "seed {seed}, {limit} at a time");
        }
    }
}

#[test]
fn a_hit_has_the_lines_around_it() {
    let house = House::new();
    let mut life = life(&house, 1);
    for word in ["a", "b", "needle 1", "c", "needle 2", "d", "e", "f"] {
        life.print(format!("{word}\r\n"));
    }
    life.exit();
    let hits = all(&house, Asked { context: 2, ..Asked::new("needle") });
    let shown: Vec<_> =
        hits.iter().map(|hit| (hit.before.join(","), hit.line.as_str(), hit.after.join(","))).collect();
    let expected = [("needle 1,c", "needle 2", "d,e"), ("a,b", "needle 1", "c,needle 2")];
    assert_eq!(shown, expected.map(|(before, line, after)| (before.to_owned(), line, after.to_owned())));
    assert!(hits[0].offset > hits[1].offset);
}

#[test]
fn s38_a_search_for_a_secret_finds_nothing() {
    let secret = secret();
    for policy in [None, Some(MaskPolicy::Never), Some(MaskPolicy::Always)] {
        let house = House::new();
        let mut life = life(&house, 1);
        life.print(format!("before {secret}\r\nneedle {secret}\r\nafter {secret}\r\n"));
        for (column, letter) in secret.char_indices().rev() {
            life.print(format!("\x1b[{}G{letter}", column + 8));
        }
        life.print("\x1b[1Gneedle\r\n").exit();
        policy.into_iter().for_each(|policy| seal(&life, policy));
        let hits = all(&house, Asked { context: 1, ..Asked::new("needle") });
        assert_eq!(hits.len(), 2, "{policy:?}");
        assert!(!format!("{hits:?}").contains(&secret[4..]), "{policy:?}: {hits:?}");
        for pattern in [secret.as_str(), "ghp_q7", "Zt2XbK9mR4"] {
            assert_eq!(
                texts(&all(&house, Asked { is_text: true, ..Asked::new(pattern) })),
                [""; 0],
                "{pattern}"
            );
        }
    }
}

#[test]
fn an_invalid_or_very_long_pattern_is_refused() {
    let house = House::new();
    let masks = masks(&house);
    let refused = |pattern: &str| search(house.home(), &masks, &Asked::new(pattern), &Stop::default());
    for pattern in ["a(b", "((a{1000}){1000}){1000}"] {
        assert!(matches!(refused(pattern), Err(RecordingError::Pattern(_))), "{pattern}");
    }
    assert!(matches!(refused(&"x".repeat(5_000)), Err(RecordingError::LongPattern { .. })));
}

#[test]
fn a_search_that_runs_out_of_time_returns_the_hits_so_far() {
    let house = House::new();
    life(&house, 1).print("needle\r\n").exit();
    let masks = masks(&house);
    let late = search(house.home(), &masks, &Asked::new("needle"), &Stop::after(Duration::ZERO));
    assert_eq!(late.expect("no failure"), Found::default());
    let unwanted = Stop::default();
    drop(unwanted.when_dropped());
    let unwanted = search(house.home(), &masks, &Asked::new("needle"), &unwanted);
    assert!(matches!(unwanted, Err(RecordingError::Stopped(Stopped::Unwanted))));
}

#[test]
fn a_search_lists_workers_with_damaged_recordings() {
    let house = House::new();
    for number in [1, 2] {
        let mut life = life(&house, number);
        life.print("needle\r\n").exit();
        seal(&life, MaskPolicy::Always);
        if number == 2 {
            let file = fs::read_dir(life.dir.recording()).expect("a directory").next().expect("a file");
            fs::write(file.expect("a file").path(), b"garbage").expect("written");
        }
    }
    let found = find(&house, &masks(&house), Asked::new("needle"));
    assert_eq!(texts(&found.hits), ["needle"]);
    assert_eq!(found.damaged.into_iter().collect::<Vec<_>>(), [WorkerId::from_random([2; 8])]);
}

#[test]
fn a_made_up_cursor_does_no_harm() {
    let house = House::new();
    life(&house, 1).print("needle\r\n").exit();
    for text in ["0.00000000.0", "18446744073709551615.zzzzzzzz.100000000"] {
        let before = Some(text.parse().expect("a cursor"));
        assert!(find(&house, &masks(&house), Asked { before, ..Asked::new("needle") }).hits.len() <= 1);
    }
    for text in ["", "1.2", "1.11111111.x", "1.11111111.1.1", "1.11111111.999999999999"] {
        assert!(text.parse::<SearchCursor>().is_err(), "{text}");
    }
}
