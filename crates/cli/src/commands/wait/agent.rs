//! Waiting for what an agent does. The server knows it.

use std::time::Instant;

use api::{DashboardEvent, DashboardMessage, Worker};
use client::Client;
use model::{Activity, WorkerId};

use crate::failure::Failure;

/// What is waited for.
#[derive(Clone, Copy)]
pub(super) enum Until {
    /// The agent asks something.
    Asking,
    /// A turn of the agent ends.
    Turn,
}

/// How the waiting ended.
pub(super) enum Waited {
    /// It is so.
    Is(Box<Worker>),
    /// The worker ended first.
    Ended,
    /// The time was over first.
    Late,
}

/// Waits until it is so. A turn counts if it ends from now on.
pub(super) fn wait(
    server: &Client,
    worker: WorkerId,
    until: Until,
    deadline: Option<Instant>,
) -> Result<Waited, Failure> {
    let mut events = server.events()?;
    // Asked after the events have begun, so that nothing is missed between.
    let mut now = server.worker(worker)?;
    let turn = now.turn.clone();
    loop {
        let is_so = match until {
            Until::Asking => now.activity == Activity::Asking,
            Until::Turn => now.turn.is_some() && now.turn != turn,
        };
        if is_so {
            return Ok(Waited::Is(Box::new(now)));
        }
        if now.ended_at.is_some() {
            return Ok(Waited::Ended);
        }
        let Some(message) = events.next(deadline)? else { return Ok(Waited::Late) };
        match message {
            DashboardMessage::Event { event: DashboardEvent::WorkerChanged { worker: changed }, .. }
                if changed.id == worker =>
            {
                now = *changed;
            }
            DashboardMessage::Event { event: DashboardEvent::WorkerRemoved { worker_id }, .. }
                if worker_id == worker =>
            {
                return Ok(Waited::Ended);
            }
            DashboardMessage::State { .. } => now = server.worker(worker)?,
            _ => {}
        }
    }
}
