//! Finds secrets in terminal output and says which bytes to put in their place.
//!
//! A [`Masker`] follows one terminal's output, as bytes and in any split, and hands out [`Mask`]s: bytes to write over
//! those of a secret, as many as there were and with as many columns. So offsets stay valid, a replay looks the same
//! but for the secret, and everything that is no secret stays byte for byte. [`Rules`] say what a secret is: those
//! of `rules.toml`, a user's own, and the values of secret-looking variables. They also mask plain text; a
//! [`TextMasker`] does so line by line.
//!
//! Secrets are recognised on the rows of a screen, not in the bytes: programs colour, wrap and redraw, and skip the
//! cells that are right already. The masker keeps a light *shadow* of the screen, a byte and a place in the stream
//! for each cell, and looks at a row before anything of it is lost. A row costs a look only if it was written on since
//! the last one.
//!
//! All of this is best effort: a secret that looks like an ordinary word cannot be recognised. Nothing
//! here opens a file, reads a clock or keeps what it has seen for longer than it is on the screen.

mod block;
mod columns;
mod dump;
mod encodings;
mod folded;
mod mask;
mod masker;
mod open;
mod path;
mod place;
mod printed;
mod private_key;
mod reader;
mod rules;
mod shadow;
mod strings;
mod value;
mod variables;

pub use mask::{Mask, apply};
pub use masker::Masker;
pub use printed::{PrintedLine, PrintedText};
pub use rules::{Finding, MaskedLine, Rules, RulesError, TextMasker};
