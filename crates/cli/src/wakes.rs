//! Waiting for the first of many things.

use anyhow::{Context, Result};
use rustix::event::{PollFd, poll};
use rustix::io::Errno;

/// Waits until something of this happens, and says what; nothing if a signal came between.
pub(crate) fn wait<W>(polled: Vec<(W, PollFd<'_>)>) -> Result<Vec<W>> {
    let (wakes, mut polled): (Vec<W>, Vec<PollFd<'_>>) = polled.into_iter().unzip();
    match poll(&mut polled, None) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Vec::new()),
        Err(error) => return Err(error).context("cannot wait"),
    }
    let woken = wakes.into_iter().zip(polled).filter(|(_, fd)| !fd.revents().is_empty());
    Ok(woken.map(|(wake, _)| wake).collect())
}
