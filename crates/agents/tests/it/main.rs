//! What the `agents` crate promises its callers.

mod definitions;
mod own_definitions;
mod tracking;
