//! Measures terminals on the same streams, ours and three others, and our other readers of output.
//!
//! `cargo xtask bench terminal` and `cargo xtask bench readers` run this program in its several ways and make tables of
//! what it prints:
//!
//! ```text
//! bench feed ENGINE STREAM   feeds a stream, or the output in a file of that name, twice: the second time in
//!                            `measured`, for callgrind to count
//! bench speed ROUNDS         prints `ENGINE STREAM MB/s` lines, medians of interleaved rounds
//! bench heap                 prints `ENGINE LINES bytes` lines
//! ```

mod engines;
mod heap;
mod speed;
mod streams;

use std::process::ExitCode;

use engines::Kind;
use model::TermSize;
use streams::Stream;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["feed", engine, stream] => match (Kind::named(engine), Stream::named(stream)) {
            (Some(engine), Some(stream)) => feed(engine, stream.size(), &stream.bytes()),
            (Some(engine), None) => match std::fs::read(stream) {
                Ok(bytes) => feed(engine, streams::usual_size(), &bytes),
                Err(error) => {
                    eprintln!("{stream}: {error}");
                    return ExitCode::FAILURE;
                }
            },
            (None, _) => return usage(),
        },
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

/// Feeds output to an engine that has seen it once, so that its history is full and its tables are warm.
fn feed(kind: Kind, size: TermSize, bytes: &[u8]) {
    let mut engine = kind.engine(size, engines::HISTORY_LINES);
    engines::feed(&mut *engine, bytes);
    measured(&mut *engine, bytes);
    println!("{}", bytes.len());
}

/// What callgrind counts, by this name.
#[inline(never)]
fn measured(engine: &mut dyn engines::Engine, bytes: &[u8]) {
    engines::feed(engine, bytes);
}
