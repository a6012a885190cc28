//! The laws of the random tests, for as many sequences as asked: `cargo xtask soak`.
//!
//! ```text
//! soak SEQUENCES [SEED]   goes on until so many control sequences were fed, from this seed on
//! ```
//!
//! A broken law is shown at its shortest and the soak goes on; further cases that look the same are only counted.

#[path = "../tests/random/laws.rs"]
mod laws;
#[path = "../tests/random/life.rs"]
mod life;
#[path = "../tests/random/shrink.rs"]
mod shrink;
#[path = "../tests/random/sources.rs"]
mod sources;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::fs;
use std::panic;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use laws::{Failure, LAWS, Law};
use life::{Event, ScriptedTerminal};
use sources::Sources;

/// The longest output of a life.
const LENGTH: usize = 4000;

/// Between two words on how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let mut numbers = env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(sequences)), Ok(seed)) = (numbers.next(), numbers.next().unwrap_or(Ok(0))) else {
        eprintln!("usage: soak SEQUENCES [SEED]");
        return ExitCode::from(2);
    };
    // A panic is a broken law among others, and shown as such.
    panic::set_hook(Box::new(|_| ()));
    let sources = Sources::read();
    let mut soak = Soak::default();
    let mut spoke = Instant::now();
    for seed in seed.. {
        soak.try_life(&ScriptedTerminal::new(seed, sources.output(seed, LENGTH)), seed);
        if spoke.elapsed() > PROGRESS_EVERY {
            println!("{soak}");
            spoke = Instant::now();
        }
        if soak.sequences >= sequences {
            break;
        }
    }
    println!("{soak}");
    for (class, times) in &soak.broken {
        println!("{times} times {class}");
    }
    if soak.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The cases so far, and their results.
#[derive(Default)]
struct Soak {
    lives: u64,
    sequences: u64,
    bytes: u64,
    slowest: Duration,
    slowest_seed: u64,
    /// Snapshots taken in states that no snapshot reaches.
    void: u64,
    /// Ways in which laws were broken, and how often.
    broken: BTreeMap<String, u64>,
}

impl Soak {
    fn try_life(&mut self, life: &ScriptedTerminal, seed: u64) {
        self.lives += 1;
        self.bytes += life.output.len() as u64;
        self.sequences += sequences(&life.output);
        for law in LAWS {
            match shrink::judge(law, life) {
                Ok(()) => {}
                Err(Failure::Void) => self.void += 1,
                Err(Failure::Broken(broken)) => self.note(law, life, seed, &broken),
            }
        }
        if slowest_kib(life) > self.slowest {
            // Others use the machine too; the quickest of several tries is closest to the truth.
            let again = (0..5).map(|_| slowest_kib(life)).min().unwrap_or_default();
            if again > self.slowest {
                (self.slowest, self.slowest_seed) = (again, seed);
            }
        }
    }

    fn note(&mut self, law: Law, life: &ScriptedTerminal, seed: u64, broken: &str) {
        let times = self.broken.entry(shrink::class(broken)).or_default();
        *times += 1;
        if *times == 1 {
            let life = shrink::shortest(law, life);
            let broken = shrink::broken(law, &life).unwrap_or_default();
            println!("seed {seed}, at its shortest {life}\n{broken}");
        }
    }
}

impl fmt::Display for Soak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Soak { lives, sequences, bytes, slowest, slowest_seed, void, broken } = self;
        let slowest = slowest.as_secs_f64() * 1e3;
        let broken: u64 = broken.values().sum();
        write!(
            f,
            "{sequences} sequences, {bytes} bytes in {lives} lives; {broken} laws broken, {void} void; "
        )?;
        write!(f, "slowest KiB {slowest:.1} ms (seed {slowest_seed}); peak {} MB", peak_mb())
    }
}

/// How many control sequences and strings begin in these bytes.
fn sequences(bytes: &[u8]) -> u64 {
    let eight_bit = bytes.windows(2).filter(|pair| matches!(pair, [0xc2, 0x80..=0x9f])).count();
    (bytes.iter().filter(|byte| **byte == 0x1b).count() + eight_bit) as u64
}

/// How long the slowest KiB of a life took; a resize counts for itself.
fn slowest_kib(life: &ScriptedTerminal) -> Duration {
    panic::catch_unwind(|| {
        let mut terminal = life.terminal();
        let mut slowest = Duration::ZERO;
        for event in life.events(0, life.output.len()) {
            match event {
                Event::Resize(size) => terminal.resize(size),
                Event::Output(bytes) => {
                    for kib in bytes.chunks(1024) {
                        let started = Instant::now();
                        terminal.feed(kib);
                        slowest = slowest.max(started.elapsed());
                    }
                }
            }
        }
        slowest
    })
    .unwrap_or_default()
}

/// The most memory that this process ever had.
fn peak_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1000
}
