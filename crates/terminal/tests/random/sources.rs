//! Where output comes from: made up, recorded and mutated, or mere noise.

use std::fs;
use std::path::Path;

use testkit::{Profile, Random, StreamGen, damaged};

/// Recordings of real programs.
pub(crate) struct Sources {
    recordings: Vec<Vec<u8>>,
}

impl Sources {
    pub(crate) fn read() -> Sources {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded");
        let mut paths: Vec<_> = fs::read_dir(&folder)
            .expect("the folder of recordings")
            .map(|entry| entry.expect("an entry of the folder").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "vt"))
            .collect();
        paths.sort();
        Sources { recordings: paths.iter().map(|path| fs::read(path).expect("a recording")).collect() }
    }

    /// Output that follows from a seed, up to about `length` bytes.
    pub(crate) fn output(&self, seed: u64, length: usize) -> Vec<u8> {
        let mut random = Random::new(seed);
        let length = random.between(1, length);
        match random.below(8) {
            0 => noise(&mut random, length),
            1 => letters_of_sequences(&mut random, length),
            2 => self.recorded(&mut random, length),
            3 => damaged(self.recorded(&mut random, length), &mut random),
            4 => other_numbers(&self.recorded(&mut random, length), &mut random),
            5 => other_numbers(&made_up(&mut random, length), &mut random),
            6 => {
                let mut output = made_up(&mut random, length / 2);
                output.extend(self.recorded(&mut random, length / 2));
                output
            }
            _ => made_up(&mut random, length),
        }
    }

    fn recorded(&self, random: &mut Random, length: usize) -> Vec<u8> {
        let recording = &self.recordings[random.below(self.recordings.len())];
        let start = random.below(recording.len());
        recording[start..(start + length).min(recording.len())].to_vec()
    }
}

fn made_up(random: &mut Random, length: usize) -> Vec<u8> {
    let profile = random.pick(&Profile::ALL);
    StreamGen::new(random.number()).like(profile).long(length).bytes()
}

fn noise(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.number() as u8).collect()
}

/// Bytes that sequences are made of, in any order.
fn letters_of_sequences(random: &mut Random, length: usize) -> Vec<u8> {
    let letters =
        b"\x1b\x1b\x1b[[[]P_X^\\;;:?>=<!$ '\"0123456789mHJKhlABCDrtqnpuszgX@LMPSTb\x07\x08\t\n\r\x0e\x0f\
        \x18\x9b\x9c\xc2\xe6\xbc\xa2\xf0\x9f\x98\x80 abc";
    (0..length).map(|_| random.pick(letters)).collect()
}

/// The same bytes with other numbers in them.
fn other_numbers(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [&str; 9] = ["", "0", "1", "2", "255", "1000", "65535", "99999", "18446744073709551616"];
    let mut out = Vec::new();
    for run in bytes.chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit()) {
        if run[0].is_ascii_digit() && random.percent(30) {
            out.extend(random.pick(&NUMBERS).bytes());
        } else {
            out.extend(run);
        }
    }
    out
}
