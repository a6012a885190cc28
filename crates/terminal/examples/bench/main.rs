//! Measures terminals on the same streams: ours and three others.
//!
//! `cargo xtask bench terminal` runs this program in its several ways and makes tables of what it prints:
//!
//! ```text
//! bench feed ENGINE STREAM   feeds a stream twice, the second time in `measured`, for callgrind to count
//! bench speed ROUNDS         prints `ENGINE STREAM MB/s` lines, medians of interleaved rounds
//! bench heap                 prints `ENGINE LINES bytes` lines
//! ```

mod engines;
mod heap;
mod speed;
mod streams;

use std::process::ExitCode;

use engines::Kind;
use streams::Stream;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["feed", engine, stream] => {
            let (Some(engine), Some(stream)) = (Kind::named(engine), Stream::named(stream)) else {
                return usage();
            };
            feed(engine, stream);
        }
        ["speed", rounds] => match rounds.parse() {
            Ok(rounds) => speed::print(rounds),
            Err(_) => return usage(),
        },
        ["heap"] => heap::print(),
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: bench feed ENGINE STREAM | bench speed ROUNDS | bench heap");
    ExitCode::from(2)
}

/// Feeds a stream to a terminal that has seen it once, so that its history is full and its tables are warm.
fn feed(kind: Kind, stream: Stream) {
    let bytes = stream.bytes();
    let mut engine = kind.engine(stream.size(), engines::HISTORY_LINES);
    engines::feed(&mut *engine, &bytes);
    measured(&mut *engine, &bytes);
    println!("{}", bytes.len());
}

/// What callgrind counts, by this name.
#[inline(never)]
fn measured(engine: &mut dyn engines::Engine, bytes: &[u8]) {
    engines::feed(engine, bytes);
}
