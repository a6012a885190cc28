//! How fast a stream is taken in.

use std::time::{Duration, Instant};

use crate::engines::{self, Kind};
use crate::streams::Stream;

/// Prints `ENGINE STREAM MB/s`: the median of the rounds, in each of which every terminal has its turn, so that
/// a busy machine slows down all of them alike.
pub(crate) fn print(rounds: usize) {
    for stream in Stream::COMPARED {
        let bytes = stream.bytes();
        let mut engines = Kind::TERMINALS.map(|kind| kind.engine(stream.size(), engines::HISTORY_LINES));
        let mut times = Kind::TERMINALS.map(|_| Vec::with_capacity(rounds));
        for engine in &mut engines {
            engines::feed(&mut **engine, &bytes);
        }
        for _ in 0..rounds.max(1) {
            for (engine, times) in engines.iter_mut().zip(&mut times) {
                let started = Instant::now();
                engines::feed(&mut **engine, &bytes);
                times.push(started.elapsed());
            }
        }
        for (kind, times) in Kind::TERMINALS.into_iter().zip(&mut times) {
            let speed = bytes.len() as f64 / median(times).as_secs_f64() / 1e6;
            println!("{} {} {speed:.1}", kind.name(), stream.name);
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
