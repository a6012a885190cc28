//! A worker's life on disk: output, resizes and exit, with times, in bounded segments.
//!
//! A recording is a directory of segments, numbered as they were begun. Each begins with a snapshot, so whoever
//! wants the screen needs one segment and no other. A [`Writer`] appends blocks to the newest one; a [`Recording`]
//! lists the segments and reads their blocks, of which a [`SegmentReader`] can follow those still to come. Damage
//! costs what comes after it in its own segment, never more, and is reported.
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
mod output;
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
pub use output::{OutputFrom, Stretch};
pub use recording::{Blocks, Cut, Recording, Segment, Unreadable};
pub use reopen::Reopened;
pub use retention::{Bound, Bounded, Excess, Surplus, excess};
pub use sealed::{Masked, Sealed, Text, Texts, remove_leftovers, seal};
pub use segment_head::{SegmentHead, SegmentKind};
pub use segment_reader::{OpenError, SegmentReader};
pub use trim::trim;
pub use writer::Writer;
