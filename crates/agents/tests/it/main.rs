//! What the `agents` crate promises to those who use it.

mod definitions;
mod own_definitions;
mod tracking;
