//! Sealed segments: finished, compressed, and with their text beside them for searches.
//!
//! The blocks of an active segment are put together into *packs*, each compressed by itself, so that damage costs one
//! of them. Their settled text stands apart in *texts*, each with a filter that tells what it cannot contain. The
//! *contents* say where all of those are, twice: behind the head and at the end of the file.

mod blocks;
mod contents;
mod filter;
mod outer;
mod pack;
mod seal;
mod text;

pub(crate) use blocks::SealedBlocks;
pub use contents::Masked;
pub use seal::{Sealed, remove_leftovers, seal};
pub use text::{Text, Texts};
