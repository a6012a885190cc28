//! A worker's life on disk: output, resizes and exit, with times, in bounded segments.
//!
//! A recording is a directory of segments, numbered in the order of their beginning. Each begins with a snapshot, so
//! one segment is enough to draw a screen. A [`Writer`] appends blocks to the newest one; a [`Recording`] lists the
//! segments and reads their blocks, and a [`SegmentReader`] also follows blocks that are still to come. Damage costs one
//! block of an active segment or one part of a sealed one. Readers go on after it and report the gap.
//!
//! *Active* segments are raw: being written, or left by a host that died. [`seal`] puts a *sealed* one in the place of
//! one that is finished: compressed, and with its [`Text`]s beside it; what to mask is its caller's to know. Both are
//! read alike. [`trim`] and [`excess`] keep bounds.
//!
//! Files are read and written, but no clock: times are handed in, as microseconds since the Unix epoch.
//! `docs/recording.md` has the format, byte by byte. Checksums come from `crc32fast`, which has the processor's
//! carry-less multiplication do them and so spares us `unsafe` code or a slow table; compression from `zstd`, which
//! makes a terminal's output ten times smaller at a speed that nothing in Rust alone has.

mod active_blocks;
mod append;
mod block;
mod checksum;
mod directory;
mod line;
mod payload;
mod recording;
mod reopen;
mod retention;
mod sealed;
mod segment_head;
mod segment_reader;
mod trim;
mod writer;

pub use block::{Block, BlockKind, MAX_OUTPUT_BYTES, MAX_SNAPSHOT_BYTES};
pub use line::{Line, LineKind};
pub use recording::{Blocks, Cut, Recording, Segment, Unreadable};
pub use reopen::Reopened;
pub use retention::{Bound, Bounded, Excess, Surplus, excess};
pub use sealed::{Masked, Sealed, Text, Texts, remove_leftovers, seal};
pub use segment_head::{SegmentHead, SegmentKind};
pub use segment_reader::{OpenError, SegmentReader};
pub use trim::trim;
pub use writer::Writer;
