//! A large recording, and what it costs to make, seal and move about in: run by `cargo xtask bench recording`.
//!
//! `recording_bench HOME MEGABYTES TEXT` makes a worker in HOME whose recording is of so many megabytes of output, writes
//! the same output to the file TEXT, seals the recording, and prints what it measured, a name and a number in each line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use home::{ExitNote, Home, NewWorker};
use jiff::Timestamp;
use masking::{Masker, Rules};
use model::{Epoch, ExitStatus, MaskPolicy, Offset, SizePolicy, TermSize};
use playback::{Growth, MaskedRecording, Masks, Player, seal_recording};
use recording::{Recording, SegmentHead, Writer};
use terminal::{HistoryLimit, SnapshotForm, Terminal};
use testkit::Random;

/// As hosts have it.
const SEGMENT_BYTES: u64 = 8 << 20;
const CHUNK_BYTES: usize = 64 << 10;
const SNAPSHOT_LINES: usize = 1_000;

const JUMPS: usize = 200;

/// Output comes at this speed, in bytes for each microsecond.
const PACE: u64 = 1;

/// As `abide replay` has it.
const HISTORY: HistoryLimit = HistoryLimit { lines: 1_000, bytes: 1 << 20 };

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [home, megabytes, text] = &arguments[..] else { panic!("recording_bench HOME MEGABYTES TEXT") };
    let bytes = megabytes.parse::<u64>().expect("a number of megabytes") * 1_000_000;
    let dir = place(Path::new(home), bytes);
    let recording = dir.recording();
    let written = write(&recording, dir.id(), bytes, Path::new(text));
    let note = ExitNote {
        status: ExitStatus::Exited { code: 0 },
        at: Timestamp::now(),
        offset: Offset(bytes),
        survivors: 0,
        on_request: false,
    };
    dir.write_exit_note(&note).expect("written");
    let gb = bytes as f64 / 1e9;
    println!("record_cpu_s_per_gb {:.3}", written / gb);

    let rules = Arc::new(Rules::builtin());
    println!("mask_cpu_s_per_gb {:.3}", mask(&recording, &rules) / gb);
    let cpu = cpu_s();
    let masks = Masks { policy: MaskPolicy::Always, rules: Arc::clone(&rules), are_complete: true };
    let sealed = seal_recording(&recording, || Growth::Finished, &masks, Duration::ZERO).expect("sealed");
    println!("seal_cpu_s_per_gb {:.3}", (cpu_s() - cpu) / gb);
    println!("times_smaller {:.1}", sealed.before_bytes as f64 / sealed.after_bytes as f64);
    let (typical, worst) = jumps(&recording, &rules, bytes);
    println!("jump_typical_ms {typical:.1}");
    println!("jump_p95_ms {worst:.1}");
}

fn place(root: &Path, bytes: u64) -> home::WorkerDir {
    let new = NewWorker {
        id: None,
        session: None,
        agent: None,
        name: Some("bench".parse().expect("a name")),
        command: vec!["bench".into()],
        cwd: PathBuf::from("/"),
        size: TermSize::clamped(120, 40),
        size_policy: SizePolicy::default(),
        grace_ms: 0,
        recording_bytes: bytes * 2,
        mask: MaskPolicy::Always,
        environment: Vec::new(),
        hook_settings: None,
        shell_integration: false,
        variables: Vec::new(),
        program: PathBuf::new(),
        scope: false,
    };
    let unborn = home::UnbornWorker::begin(&Home::at(root), &new, "bench", Timestamp::now());
    unborn.and_then(home::UnbornWorker::publish).expect("a worker's directory").dir
}

/// Writes the recording, and says what the writer alone took of the CPU.
fn write(dir: &Path, worker: model::WorkerId, bytes: u64, text: &Path) -> f64 {
    let mut out = BufWriter::new(File::create(text).expect("a file"));
    let mut output = Output::new();
    let size = TermSize::clamped(120, 40);
    let mut terminal = Terminal::new(size, HISTORY);
    let head = |at: Offset| SegmentHead { worker, epoch: Epoch(1), at, time_us: at.0 / PACE, size };
    let mut at = Offset(0);
    let mut writer = Writer::create(dir, &head(at), &screen(&terminal)).expect("a recording");
    let mut cpu = 0.0;
    while at.0 < bytes {
        let chunk = output.chunk();
        out.write_all(&chunk).expect("written");
        terminal.feed(&chunk);
        if writer.bytes() >= SEGMENT_BYTES {
            let snapshot = screen(&terminal);
            let before = cpu_s();
            writer.begin_segment(&head(at), &snapshot).expect("a segment");
            cpu += cpu_s() - before;
        }
        let before = cpu_s();
        writer.output(at, at.0 / PACE, &chunk).expect("written");
        cpu += cpu_s() - before;
        at += chunk.len();
    }
    out.flush().expect("written");
    cpu
}

fn screen(terminal: &Terminal) -> Vec<u8> {
    terminal.snapshot(SnapshotForm::Full { history: SNAPSHOT_LINES })
}

/// What masking alone takes.
fn mask(dir: &Path, rules: &Arc<Rules>) -> f64 {
    let mut cpu = 0.0;
    let mut masker = Masker::new(Arc::clone(rules), TermSize::clamped(120, 40));
    for block in Recording::open(dir).expect("a recording").blocks() {
        if let recording::BlockKind::Output(bytes) = block.kind {
            let before = cpu_s();
            masker.feed(&bytes);
            masker.take_masks();
            cpu += cpu_s() - before;
        }
    }
    cpu
}

/// How long it takes to be somewhere else: the median and what one in twenty exceeds, in milliseconds.
fn jumps(dir: &Path, rules: &Arc<Rules>, bytes: u64) -> (f64, f64) {
    let mut random = Random::new(1);
    let mut times: Vec<f64> = (0..JUMPS)
        .map(|_| {
            let time_us = random.below((bytes / PACE) as usize) as u64;
            let start = Instant::now();
            // As a person does who comes from outside: everything is opened anew.
            let recording = MaskedRecording::open(dir, Arc::clone(rules)).expect("a recording");
            let mut player = Player::new(recording, HISTORY);
            player.seek_to_time(time_us);
            assert!(player.time_us() <= time_us);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[JUMPS / 2], times[JUMPS * 95 / 100])
}

/// CPU time of this thread.
fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Output as of a day of work: logs, builds in colour, listings and diffs.
struct Output {
    random: Random,
    line: u64,
}

const WORDS: [&str; 24] = [
    "connection",
    "request",
    "response",
    "timeout",
    "handler",
    "session",
    "worker",
    "terminal",
    "buffer",
    "offset",
    "compiling",
    "finished",
    "warning",
    "unused",
    "variable",
    "function",
    "module",
    "test",
    "passed",
    "index",
    "cache",
    "query",
    "user",
    "service",
];

impl Output {
    fn new() -> Output {
        Output { random: Random::new(7), line: 0 }
    }

    fn chunk(&mut self) -> Vec<u8> {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES + 300);
        while chunk.len() < CHUNK_BYTES {
            self.line += 1;
            let line = self.line();
            chunk.extend(line.as_bytes());
        }
        chunk
    }

    fn line(&mut self) -> String {
        let number = self.line;
        let words: Vec<&str> =
            (0..self.random.between(4, 14)).map(|_| WORDS[self.random.below(WORDS.len())]).collect();
        let words = words.join(" ");
        let id = self.random.below(usize::MAX);
        match self.random.below(5) {
            0 => format!(
                "2026-01-31T{:02}:{:02}:{:02}Z INFO {words} id={id:016x}\r\n",
                number / 3600 % 24,
                number / 60 % 60,
                number % 60
            ),
            1 => format!("\x1b[1m\x1b[32m   Compiling\x1b[0m {words} v0.{}.{}\r\n", number % 50, number % 9),
            2 => format!("\x1b[31m-    {words}\x1b[m\r\n\x1b[32m+    {words} {number}\x1b[m\r\n"),
            3 => format!(
                "-rw-r--r-- 1 user user {:8} Jan 31 03:00 {}\r\n",
                id % 10_000_000,
                words.replace(' ', "_")
            ),
            _ => format!("{words}: {number}\r\n"),
        }
    }
}
