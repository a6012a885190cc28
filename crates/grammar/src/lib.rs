//! The grammar of terminal output: where text, controls, sequences and strings begin and end.
//!
//! A [`Grammar`] is fed a program's output, in any split, and tells a [`Visitor`] what the output consists of. Each
//! thing comes with its place in the stream: a range of byte positions, counted from the first byte that was ever fed.
//! The terminal model, masking and the output filter all read output through this crate, so they agree on every byte.
//!
//! The state machine is the one that all terminals share (DEC's, with UTF-8 decoded in front of it), in the form that
//! xterm.js gives it:
//!
//! - Invalid UTF-8 and byte order marks are dropped, wherever they stand.
//! - C1 controls count when they come as UTF-8.
//! - A control string ends at any ESC. A character beyond ASCII ends an SOS, PM or APC, too.
//! - CAN and SUB abort what is unfinished.
//!
//! Two bounds are ours: a control sequence with more than [`MAX_HEAD`] bytes means nothing, and neither does a string of
//! more than [`MAX_STRING`] bytes. The crate opens no file, reads no clock and spawns nothing.

mod grammar;
mod head;
mod params;
mod scan;
mod utf8;
mod visitor;

pub use grammar::{Grammar, MAX_HEAD, MAX_STRING};
pub use params::{Iter, Params};
pub use scan::{plain_sequence, plain_text_len, printable_len};
pub use utf8::{Decoded, Partial, decode};
pub use visitor::{ControlString, Function, Sequence, StringKind, Terminator, Visitor, Void};
