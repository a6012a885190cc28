//! Waiting for many descriptors at once (epoll).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;

/// What a descriptor is ready for, or shall be waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Reading from it does not wait. A descriptor that was hung up or has failed is ready for this: reading says so.
    pub read: bool,
    /// Writing to it does not wait.
    pub write: bool,
}

impl Ready {
    /// Ready for reading.
    pub const READ: Ready = Ready { read: true, write: false };

    #[inline]
    fn flags(self) -> EventFlags {
        let mut flags = EventFlags::empty();
        flags.set(EventFlags::IN, self.read);
        flags.set(EventFlags::OUT, self.write);
        flags
    }
}

/// One descriptor that is ready.
#[derive(Clone, Copy, Debug)]
pub struct Reported {
    /// The number under which it was added.
    pub number: u64,
    /// What it is ready for.
    pub ready: Ready,
}

/// Descriptors that are waited for, each under a number.
#[derive(Debug)]
pub struct Events {
    epoll: OwnedFd,
}

/// How many descriptors are reported at once.
const AT_ONCE: usize = 64;

impl Events {
    /// Waits for nothing yet.
    ///
    /// # Errors
    ///
    /// When the machine has no descriptors left.
    pub fn new() -> io::Result<Events> {
        Ok(Events { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// Waits for a descriptor as well.
    ///
    /// # Errors
    ///
    /// When the machine has no memory left.
    pub fn add(&self, source: impl AsFd, number: u64, wanted: Ready) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, source, EventData::new_u64(number), wanted.flags())?)
    }

    /// Waits for something else of a descriptor.
    ///
    /// # Errors
    ///
    /// When it was not added.
    pub fn modify(&self, source: impl AsFd, number: u64, wanted: Ready) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, source, EventData::new_u64(number), wanted.flags())?)
    }

    /// Does not wait for a descriptor any more.
    ///
    /// # Errors
    ///
    /// When it was not added.
    pub fn delete(&self, source: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, source)?)
    }

    /// Waits until a descriptor is ready, at most so long, and puts those that are into `reported`. A signal ends the wait.
    ///
    /// # Errors
    ///
    /// When the system fails.
    pub fn wait(&self, within: Option<Duration>, reported: &mut Vec<Reported>) -> io::Result<()> {
        let within = within.and_then(|within| Timespec::try_from(within).ok());
        let mut space = [MaybeUninit::<Event>::uninit(); AT_ONCE];
        let woken = match epoll::wait(&self.epoll, &mut space, within.as_ref()) {
            Ok((woken, _)) => woken,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        reported.extend(woken.iter().map(|event| {
            // Copied out: the kernel's structure is packed.
            let (flags, data) = (event.flags, event.data);
            let read = flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR);
            let write = flags.contains(EventFlags::OUT);
            Reported { number: data.u64(), ready: Ready { read, write } }
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_descriptor_is_reported_for_what_is_wanted_of_it() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let events = Events::new().unwrap();
        let wait = |events: &Events| {
            let mut reported = Vec::new();
            events.wait(Some(Duration::ZERO), &mut reported).unwrap();
            reported.iter().map(|one| (one.number, one.ready)).collect::<Vec<_>>()
        };
        events.add(&ours, 7, Ready::READ).unwrap();
        assert_eq!(wait(&events), []);
        events.modify(&ours, 7, Ready { read: true, write: true }).unwrap();
        assert_eq!(wait(&events), [(7, Ready { read: false, write: true })]);
        theirs.write_all(b"x").unwrap();
        events.modify(&ours, 7, Ready::READ).unwrap();
        assert_eq!(wait(&events), [(7, Ready::READ)]);
        drop(theirs);
        events.modify(&ours, 7, Ready::default()).unwrap();
        assert_eq!(wait(&events), [(7, Ready::READ)], "an end is always reported");
        events.delete(&ours).unwrap();
        assert_eq!(wait(&events), []);
    }
}
