//! An exported recording that is imported again.

use std::io::BufReader;

use export::import::{Event, EventKind, Limits, import};
use testkit::{Random, StreamGen};

use crate::life::{CASTS, cast_of, fixture, imported, output, recorded, resize};

/// The events of a file, but for markers: commands are marked anew.
fn events(cast: &[u8]) -> Vec<Event> {
    let events = import(BufReader::new(cast), Limits::default()).unwrap().map(Result::unwrap);
    events.filter(|event| !matches!(event.kind, EventKind::Marker(_))).collect()
}

fn printed(events: &[Event]) -> String {
    let text = events.iter().filter_map(|event| match &event.kind {
        EventKind::Output(text) => Some(text.as_str()),
        _ => None,
    });
    text.collect()
}

#[test]
fn an_export_comes_back_as_it_was() {
    for name in CASTS {
        let first = cast_of(&imported(&fixture(name)).recording);
        let second = cast_of(&imported(first.as_bytes()).recording);
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn real_programs_keep_their_output_and_its_times() {
    for name in CASTS {
        let theirs = events(&fixture(name));
        let ours = events(cast_of(&imported(&fixture(name)).recording).as_bytes());
        let mut filter = filter::Filter::default();
        let mut scratch = Vec::new();
        let shown = filter.pass_snapshot(printed(&theirs).as_bytes(), &mut scratch).to_vec();
        assert_eq!(printed(&ours), String::from_utf8(shown).unwrap(), "{name}");
        // What holds nothing but questions is no event any more; every other one has the time it had.
        assert!(ours.iter().all(|event| theirs.iter().any(|their| their.time_us == event.time_us)), "{name}");
        assert!(ours.len() * 10 > theirs.len() * 7, "{name}: {} of {}", ours.len(), theirs.len());
    }
}

#[test]
fn generated_streams_come_back_as_they_were() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let stream = StreamGen::new(seed);
        let size = stream.size();
        let bytes = stream.bytes();
        let mut ms = 0;
        let mut events = Vec::new();
        for piece in bytes.chunks(random.between(1, 400)) {
            ms += random.below(3000) as u64;
            events.push(output(ms, &String::from_utf8_lossy(piece)));
            if random.percent(5) {
                events.push(resize(ms, random.between(2, 90) as u16, random.between(1, 40) as u16));
            }
        }
        let first = cast_of(&recorded(size, events).recording);
        let second = cast_of(&imported(first.as_bytes()).recording);
        assert_eq!(first, second, "seed {seed}");
    }
}
