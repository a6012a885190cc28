//! How fast lines settle, beside the terminal alone: `cargo run --release -p playback --example lines_speed`.
//!
//! Files of raw output may be named as arguments; they are measured too, repeated until they are long enough.

use std::time::Instant;

use model::{Epoch, Offset, TermSize};
use playback::lines_of_segment;
use recording::{Block, BlockKind, SegmentHead};
use terminal::{HistoryLimit, SnapshotForm, Terminal};

const STREAM_BYTES: usize = 32 << 20;
const BLOCK_BYTES: usize = 64 << 10;

fn main() {
    let mut streams = vec![
        ("plain text".to_owned(), repeated(&plain())),
        ("coloured text".to_owned(), repeated(&coloured())),
        ("wide text".to_owned(), repeated(&wide())),
        ("frames of an inline agent".to_owned(), repeated(&inline_frames())),
        ("frames of a full-screen program".to_owned(), repeated(&full_screen_frames())),
        ("clears".to_owned(), repeated(b"some text\r\n\x1b[H\x1b[2J")),
    ];
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a file of output");
        streams.push((path, repeated(&bytes)));
    }
    println!("{:<40} {:>10} {:>10} {:>10}", "MB/s", "terminal", "lines", "settled");
    for (name, stream) in streams {
        let size = TermSize::clamped(120, 40);
        let mut terminal = Terminal::new(size, HistoryLimit { lines: 20_000, bytes: 256 << 10 });
        let snapshot = terminal.snapshot(SnapshotForm::Full { history: 0 });
        let alone = speed(stream.len(), || {
            for piece in stream.chunks(BLOCK_BYTES) {
                terminal.feed(piece);
                terminal.take_replies();
                terminal.take_signals();
            }
        });
        let mut settled = 0;
        let lines = speed(stream.len(), || settled = lines_of(size, &snapshot, &stream));
        println!("{name:<40} {alone:>10.0} {lines:>10.0} {settled:>10}");
    }
}

fn speed(bytes: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn lines_of(size: TermSize, snapshot: &[u8], stream: &[u8]) -> usize {
    let worker = "k7f2m3qa".parse().expect("an id");
    let head = SegmentHead { worker, epoch: Epoch(0), at: Offset(0), time_us: 0, size };
    let mut at = Offset(0);
    let outputs = stream.chunks(BLOCK_BYTES).map(|bytes| {
        let block = Block { at, time_us: at.0, kind: BlockKind::Output(bytes.to_vec()) };
        at += bytes.len();
        block
    });
    let first = Block { at: Offset(0), time_us: 0, kind: BlockKind::Snapshot(snapshot.to_vec()) };
    lines_of_segment(&head, std::iter::once(first).chain(outputs), true).len()
}

fn repeated(stream: &[u8]) -> Vec<u8> {
    stream.iter().copied().cycle().take(STREAM_BYTES).collect()
}

fn plain() -> Vec<u8> {
    let line = |number| format!("{number:>8} the quick brown fox jumps over {} lazy dogs\r\n", number * 7);
    (0..5_000).flat_map(|number| line(number).into_bytes()).collect()
}

fn coloured() -> Vec<u8> {
    let line = |number: usize| {
        let color = 31 + number % 6;
        format!(
            "\x1b[2m{number:>6}\x1b[0m \x1b[1;{color}mCompiling\x1b[0m a-crate v0.{number}.0 \x1b[38;5;{number}m(/path/to/it)\x1b[0m\r\n"
        )
    };
    (0..200).flat_map(|number| line(number).into_bytes()).collect()
}

fn wide() -> Vec<u8> {
    let line = |number| format!("{number} 終端は残る — les écrans à tout moment ✓\r\n");
    (0..2_000).flat_map(|number| line(number).into_bytes()).collect()
}

/// Ten rows at the bottom that are drawn anew for each frame, and now and then a line above them.
fn inline_frames() -> Vec<u8> {
    let mut out = Vec::new();
    for frame in 0..500 {
        out.extend(b"\x1b[2K\x1b[1A".repeat(9));
        out.extend(b"\x1b[2K\x1b[G");
        if frame % 10 == 0 {
            out.extend(format!("\x1b[38;2;200;100;50m●\x1b[39m step {frame} is done\r\n").bytes());
        }
        for row in 0..9 {
            out.extend(format!("\x1b[38;2;{frame};90;90m│\x1b[39m row {row} of frame {frame}\r\n").bytes());
        }
    }
    out
}

fn full_screen_frames() -> Vec<u8> {
    let mut out = b"\x1b[?1049h".to_vec();
    for frame in 0..200 {
        for row in 1..=40 {
            out.extend(
                format!("\x1b[{row};1H\x1b[3{}m{row:>4}\x1b[m process {frame}\x1b[K", row % 8).bytes(),
            );
        }
    }
    out.extend(b"\x1b[?1049l");
    out
}
