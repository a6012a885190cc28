//! `abide debug …`

mod frames;
mod replies;
mod shell;
mod snapshot;
