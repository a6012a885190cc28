//! Streams of terminal output, made up from a seed.
//!
//! A stream resembles a program ([`Profile`]) and is written for a size, so that its moves and margins meet the
//! edges of that screen. Oracle tests, property tests, fuzzing seeds and soaks all draw from here, so a seed found
//! by one of them can be looked at by the others.

mod faults;
mod programs;
mod sequences;
mod text;

use model::TermSize;

use crate::random::Random;

/// What kind of program a stream resembles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Prompts, line editing, command output, now and then a full-screen program.
    Shell,
    /// `less`: the alternate screen, scrolling by line and by page.
    Pager,
    /// `vim`: scroll regions, inserted and deleted lines, a status line.
    Editor,
    /// A full-screen or inline interface that redraws itself, in synchronised frames or without.
    Interface,
    /// Many lines, some of them long, that push each other into the history.
    Flood,
    /// Every known sequence in any order, all of them well-formed.
    Mixed,
    /// As `Mixed`, with unfinished, malformed and damaged bytes between.
    Chaos,
}

impl Profile {
    /// Every profile there is.
    pub const ALL: [Profile; 7] = [
        Profile::Shell,
        Profile::Pager,
        Profile::Editor,
        Profile::Interface,
        Profile::Flood,
        Profile::Mixed,
        Profile::Chaos,
    ];
}

/// One stream that follows from its seed: size, profile, length and bytes.
#[derive(Clone, Debug)]
pub struct StreamGen {
    random: Random,
    size: TermSize,
    profile: Profile,
    length: usize,
}

impl StreamGen {
    /// A stream whose size, profile and length the seed decides.
    pub fn new(seed: u64) -> StreamGen {
        let mut random = Random::new(seed);
        let (cols, rows) = random.weighted(&[
            (1, (2, 1)),
            (1, (2, 4)),
            (1, (9, 1)),
            (3, (5, 3)),
            (5, (20, 6)),
            (3, (33, 11)),
            (4, (80, 24)),
        ]);
        let profile = random.weighted(&[
            (3, Profile::Shell),
            (2, Profile::Pager),
            (3, Profile::Editor),
            (3, Profile::Interface),
            (2, Profile::Flood),
            (6, Profile::Mixed),
            (3, Profile::Chaos),
        ]);
        let longest = random.pick(&[300, 1500, 6000]);
        let length = random.between(40, longest);
        StreamGen { random, size: TermSize::clamped(cols, rows), profile, length }
    }

    /// The same choices for another size.
    pub fn sized(self, size: TermSize) -> StreamGen {
        StreamGen { size, ..self }
    }

    /// The same choices in another profile.
    pub fn like(self, profile: Profile) -> StreamGen {
        StreamGen { profile, ..self }
    }

    /// A stream of at least `bytes` bytes, and not many more.
    pub fn long(self, bytes: usize) -> StreamGen {
        StreamGen { length: bytes, ..self }
    }

    /// The size of the terminal that the stream is written for.
    pub fn size(&self) -> TermSize {
        self.size
    }

    /// What the stream resembles.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The stream.
    pub fn bytes(self) -> Vec<u8> {
        let mut writer = Writer { random: self.random, out: Vec::new(), size: self.size };
        if matches!(self.profile, Profile::Pager | Profile::Editor | Profile::Interface) {
            writer.command_line();
        }
        while writer.out.len() < self.length {
            match self.profile {
                Profile::Shell => writer.shell(),
                Profile::Pager => writer.pager(self.length),
                Profile::Editor => writer.editor(self.length),
                Profile::Interface => writer.interface(self.length),
                Profile::Flood => writer.flood(),
                Profile::Mixed => writer.any_sequence(),
                Profile::Chaos if writer.random.percent(12) => writer.fault(),
                Profile::Chaos => writer.any_sequence(),
            }
        }
        if self.profile == Profile::Chaos && writer.random.percent(30) {
            return damaged(writer.out, &mut writer.random);
        }
        writer.out
    }
}

/// A stream with a few of its bytes flipped, lost, doubled or moved.
pub fn damaged(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + bytes.len() / 400 {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let end = (at + random.between(1, 6)).min(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.number() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => {
                let moved: Vec<u8> = bytes.drain(at..end).collect();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, moved);
            }
        }
    }
    bytes
}

/// A stream in the making.
struct Writer {
    random: Random,
    out: Vec<u8>,
    size: TermSize,
}

impl Writer {
    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    fn csi(&mut self, rest: impl AsRef<str>) {
        self.put("\x1b[");
        self.put(rest.as_ref());
    }

    /// An OSC string with one of the ends that terminals accept.
    fn osc(&mut self, body: impl AsRef<str>) {
        self.put("\x1b]");
        self.put(body.as_ref());
        let end = self.random.weighted(&[(6, "\x07"), (5, "\x1b\\"), (1, "\u{9c}")]);
        self.put(end);
    }

    fn cols(&self) -> usize {
        usize::from(self.size.cols())
    }

    fn rows(&self) -> usize {
        usize::from(self.size.rows())
    }

    /// A column counted from 1, mostly on the screen, with a liking for its edges.
    fn column(&mut self) -> usize {
        let cols = self.cols();
        let anywhere = self.random.between(1, cols);
        self.random.weighted(&[(10, anywhere), (3, cols), (2, cols - 1), (2, 1), (1, cols + 1), (1, 9999)])
    }

    /// A row counted from 1, mostly on the screen, with a liking for its edges.
    fn row(&mut self) -> usize {
        let rows = self.rows();
        let anywhere = self.random.between(1, rows);
        self.random.weighted(&[(10, anywhere), (3, rows), (2, 1), (1, rows + 1), (1, 9999)])
    }

    /// A parameter that counts something: absent, zero, small, or more than there is room for.
    fn count(&mut self) -> String {
        let small = self.random.between(1, 5);
        let large = self.random.between(1, self.cols().max(self.rows()) + 2);
        match self.random.below(12) {
            0..=2 => String::new(),
            3 => "0".into(),
            4..=8 => small.to_string(),
            9 | 10 => large.to_string(),
            _ => "999".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_stream_every_time() {
        for seed in 0..50 {
            assert_eq!(StreamGen::new(seed).bytes(), StreamGen::new(seed).bytes());
        }
    }

    #[test]
    fn every_profile_gives_a_stream_of_the_length_asked_for() {
        for profile in Profile::ALL {
            for seed in 0..20 {
                let bytes = StreamGen::new(seed).like(profile).long(2000).bytes();
                assert!((1900..12_000).contains(&bytes.len()), "{profile:?} {seed}: {} bytes", bytes.len());
            }
        }
    }
}
