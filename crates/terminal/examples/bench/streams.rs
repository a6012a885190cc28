//! The streams: the same every time, on every machine.

mod termbench;
mod work;

use model::TermSize;
use testkit::{Profile, Random, StreamGen};

/// About so many bytes each.
const LENGTH: usize = 2_000_000;

/// A kind of output.
pub(crate) struct Stream {
    pub(crate) name: &'static str,
    /// Columns and rows of the terminal that the output is written for.
    size: (u16, u16),
    /// Writes the next piece, whose number is the last argument.
    piece: fn(&mut Vec<u8>, &mut Random, usize),
}

/// The size of most terminals here.
const USUAL: (u16, u16) = (120, 40);

pub(crate) fn usual_size() -> TermSize {
    TermSize::clamped(USUAL.0, USUAL.1)
}

impl Stream {
    /// Those that terminals are compared with.
    pub(crate) const COMPARED: [Stream; 6] = [
        Stream { name: "ascii", size: USUAL, piece: termbench::log_line },
        Stream { name: "sgr", size: USUAL, piece: termbench::coloured_line },
        Stream { name: "unicode", size: USUAL, piece: termbench::line_of_many_scripts },
        Stream { name: "tui", size: USUAL, piece: termbench::full_screen_frame },
        Stream { name: "dense", size: USUAL, piece: termbench::dense_screen },
        Stream { name: "agent", size: (100, 30), piece: termbench::agents },
    ];

    /// What people and agents have on their terminals; some of it is near to secrets.
    const WORK: [Stream; 11] = [
        Stream { name: "log", size: USUAL, piece: work::log },
        Stream { name: "mix", size: USUAL, piece: work::mix },
        Stream { name: "compiler", size: USUAL, piece: work::compiler },
        Stream { name: "code", size: USUAL, piece: work::code },
        Stream { name: "frames", size: USUAL, piece: work::frames },
        Stream { name: "source", size: USUAL, piece: work::source },
        Stream { name: "base64", size: USUAL, piece: work::base64 },
        Stream { name: "shell", size: USUAL, piece: |out, _, _| generated(out, Profile::Shell) },
        Stream { name: "editor", size: USUAL, piece: |out, _, _| generated(out, Profile::Editor) },
        Stream { name: "interface", size: USUAL, piece: |out, _, _| generated(out, Profile::Interface) },
        Stream { name: "flood", size: USUAL, piece: |out, _, _| generated(out, Profile::Flood) },
    ];

    pub(crate) fn named(name: &str) -> Option<Stream> {
        Stream::COMPARED.into_iter().chain(Stream::WORK).find(|stream| stream.name == name)
    }

    pub(crate) fn size(&self) -> TermSize {
        TermSize::clamped(self.size.0, self.size.1)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(LENGTH + LENGTH / 4);
        let mut random = Random::new(42);
        for number in 0.. {
            if out.len() >= LENGTH {
                break;
            }
            (self.piece)(&mut out, &mut random, number);
        }
        out
    }
}

/// All of a stream that imitates one kind of program.
fn generated(out: &mut Vec<u8>, profile: Profile) {
    out.extend(StreamGen::new(7).like(profile).sized(usual_size()).long(LENGTH).bytes());
}
