//! What the `agents` crate promises its callers.

mod definitions;
mod judge;
mod live;
mod own_definitions;
mod recordings;
mod replies;
mod screens;
mod signals;
mod transcripts;
