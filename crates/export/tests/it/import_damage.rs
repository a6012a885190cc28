//! Files that were damaged, by accident or on purpose.

use std::io::BufReader;

use export::import::{Limits, import};
use proptest::prelude::*;
use testkit::{Random, damaged};

use crate::life::{CASTS, fixture};

/// Reads as far as it goes; that it comes back is all that is asked.
fn read(cast: &[u8]) {
    if let Ok(events) = import(BufReader::with_capacity(64, cast), Limits::default()) {
        let count = events.take_while(Result::is_ok).count();
        assert!(count <= cast.len());
    }
}

#[test]
fn s39_a_damaged_file_is_read_or_refused_without_a_panic() {
    let version_1 =
        br#"{"version":1,"width":80,"height":24,"stdout":[[0.5,"a"],[1.0,"b\u001b[m"]]}"#.to_vec();
    let mut files: Vec<Vec<u8>> = CASTS.iter().map(|name| fixture(name)).collect();
    files.iter_mut().for_each(|file| file.truncate(6000));
    files.push(version_1);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let file = files[random.below(files.len())].clone();
        let mut file = damaged(file, &mut random);
        file.truncate(random.between(0, file.len()));
        read(&file);
    }
}

proptest! {
    #[test]
    fn s39_any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
        let mut behind_a_header = b"{\"version\":2,\"width\":80,\"height\":24}\n".to_vec();
        behind_a_header.extend(&bytes);
        read(&behind_a_header);
    }

    #[test]
    fn s39_any_event_is_read_or_refused(time in any::<f64>(), code in ".{0,3}", data in ".*") {
        let head = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n";
        let event = serde_json::to_string(&(time, code, data)).unwrap();
        read(format!("{head}{event}\n{event}\n").as_bytes());
    }
}
