use std::fs;

use home::WorkerDir;
use playback::{Case, Query};
use reading::{Asked, Bounds, Found, Masks, Stop, Stopped, Unread, search};

use crate::house::House;

const SECOND: u64 = 1_000_000;

fn find(house: &House, workers: &[WorkerDir], pattern: &str, most: usize, threads: usize) -> Found {
    let query = Query::new(pattern, false, Case::Smart).expect("a pattern");
    let asked = Asked { query: &query, context: 0, most, threads, holds_back: false };
    let masks = Masks::read(&house.home).expect("rules");
    search(workers, &masks, &asked, |_, _| Some(Bounds::default()), &Stop::default())
}

fn texts(found: &Found) -> Vec<&str> {
    let hits = found.passages.iter().flat_map(|found| found.passage.hits().rev());
    hits.map(|hit| hit.line.text.as_str()).collect()
}

#[test]
fn the_newest_hits_of_all_workers_come_first_on_any_number_of_threads() {
    let house = House::new();
    let workers: Vec<WorkerDir> = (1..=9)
        .map(|number| house.worker(number, u64::from(number) * SECOND / 10, &["x 1", "other", "x 3"]))
        .collect();
    let expected: Vec<String> =
        (1..=9).map(|_| "x 3".to_owned()).chain((1..=3).map(|_| "x 1".to_owned())).collect();
    for threads in [1, 3, 8] {
        let found = find(&house, &workers, "x", 12, threads);
        assert_eq!(texts(&found), expected, "{threads} threads");
        assert_eq!((found.has_more, found.end), (true, Ok(())));
        let newest: Vec<_> = found.passages.iter().take(9).map(|found| found.worker).collect();
        let ids: Vec<_> = workers.iter().rev().map(WorkerDir::id).collect();
        assert_eq!(newest, ids);
        assert!(!find(&house, &workers, "x", 18, threads).has_more);
    }
}

#[test]
fn hits_that_are_only_masked_text_do_not_hide_older_ones() {
    let house = House::new();
    let mut lines = vec!["the ticket of old"];
    lines.extend(["ticket-12345"; 30]);
    let worker = house.worker(1, 0, &lines);
    let rule = "[[rule]]\nname = \"tickets\"\npattern = 'ticket-[0-9]+'\nstarts = [\"ticket-\"]\n";
    assert_eq!(find(&house, std::slice::from_ref(&worker), "ticket", 2, 1).passages.len(), 2);
    fs::write(house.home.mask_file(), rule).expect("written");
    let found = find(&house, &[worker], "ticket", 2, 1);
    assert_eq!((texts(&found), found.has_more), (vec!["the ticket of old"], false));
}

#[test]
fn a_recording_that_cannot_be_read_is_reported_and_the_others_are_searched() {
    let house = House::new();
    let (whole, closed, none) =
        (house.worker(1, 0, &["x"]), house.worker(2, 0, &["x"]), house.worker(3, 0, &["x"]));
    fs::remove_dir_all(closed.recording()).expect("removed");
    fs::write(closed.recording(), "no directory").expect("written");
    fs::remove_dir_all(none.recording()).expect("removed");
    let found = find(&house, &[whole, closed.clone(), none], "x", 9, 2);
    assert_eq!(texts(&found), ["x"]);
    assert_eq!(found.unread.keys().copied().collect::<Vec<_>>(), [closed.id()]);
    assert!(matches!(found.unread[&closed.id()], Unread::Closed(_)));
}

#[test]
fn a_search_is_cancelled() {
    let house = House::new();
    let worker = house.worker(1, 0, &["x"]);
    let query = Query::new("x", false, Case::Smart).expect("a pattern");
    let asked = Asked { query: &query, context: 0, most: 9, threads: 1, holds_back: false };
    let masks = Masks::read(&house.home).expect("rules");
    let stop = Stop::default();
    let found = search(
        &[worker],
        &masks,
        &asked,
        |_, _| {
            stop.set();
            Some(Bounds::default())
        },
        &stop,
    );
    assert_eq!((found.end, found.passages.len()), (Err(Stopped::Unwanted), 0));
}
