//! `abide debug …`

mod replies;
mod shell;
mod snapshot;
