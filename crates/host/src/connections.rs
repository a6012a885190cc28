//! New connections, and connections that end.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use protocol::ViewerId;
use system::Ready;

use crate::host::Host;
use crate::listener::Listener;
use crate::log;
use crate::run::Wake;
use crate::viewer::Watching;

/// How long a host rests when the whole machine has no descriptors left.
const NO_ROOM: Duration = Duration::from_millis(10);

impl Host {
    /// Accepts connections. If there are no descriptors left, refuses one with the reason.
    pub(crate) fn accept(&mut self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                Ok(Some(stream)) => self.welcome(stream)?,
                Ok(None) => return Ok(()),
                Err(error) if is_out_of_descriptors(&error) => {
                    self.refuse_for_want_of_room();
                    return Ok(());
                }
                // The peer has gone again.
                Err(_) => return Ok(()),
            }
        }
    }

    /// Takes in a connection.
    pub(crate) fn welcome(&mut self, stream: UnixStream) -> io::Result<()> {
        let id = self.viewers.add(stream).id;
        let Some(viewer) = self.viewers.get(id) else { return Ok(()) };
        if let Err(error) = self.await_viewer(viewer) {
            log::line(&format!("cannot wait for another viewer: {error}"));
            self.viewers.remove(id);
        }
        Ok(())
    }

    /// With the descriptor kept for this, accepts one connection only to say no.
    pub(crate) fn refuse_for_want_of_room(&mut self) {
        self.spare = None;
        if let Ok(Some(stream)) = self.listener.accept() {
            let refused = protocol::Refused {
                code: protocol::Refusal::Full,
                message: "the host has no descriptors left for another viewer".into(),
            };
            let frame = protocol::HostMessage::Refused(refused).to_bytes();
            let _ = io::Write::write_all(&mut &stream, &frame);
        }
        self.spare = File::open("/dev/null").ok();
        if self.spare.is_none() {
            // The waiting connections cannot even be refused; without a pause we would loop for ever.
            std::thread::sleep(NO_ROOM);
        }
    }

    /// Makes the socket again, because a program did not find it.
    pub(crate) fn bind_again(&mut self) -> io::Result<()> {
        match self.dir.make().map_err(io::Error::other).and_then(|()| Listener::bind(&self.dir)) {
            Ok(listener) => {
                let awaited = self.events.add(&listener, Wake::Listener.number(), Ready::READ);
                match awaited {
                    Ok(()) => {
                        let before = std::mem::replace(&mut self.listener, listener);
                        // Viewers may wait in the queue of the socket before: closing it would cut them off.
                        while let Ok(Some(stream)) = before.accept() {
                            self.welcome(stream)?;
                        }
                    }
                    Err(error) => log::line(&format!("cannot wait at the new socket: {error}")),
                }
            }
            Err(error) => log::line(&format!("cannot make the socket again: {error}")),
        }
        Ok(())
    }

    /// Lets a connection go.
    pub(crate) fn dismiss(&mut self, id: ViewerId) -> io::Result<()> {
        let Some(gone) = self.viewers.remove(id) else { return Ok(()) };
        if gone.watching().is_some() || gone.typed_bytes > 0 {
            self.visits.line(&format!("{} left after typing {} bytes", gone.who(), gone.typed_bytes));
        }
        if let Some(typist) = gone.watching().and_then(Watching::typist) {
            self.viewers.typists.left(typist, id);
        }
        // What follows from that comes once, however many go at the same time.
        self.viewer_left |= gone.watching().is_some();
        Ok(())
    }

    /// What follows when viewers have left.
    pub(crate) fn tidy_up(&mut self) -> io::Result<()> {
        while std::mem::take(&mut self.viewer_left) {
            self.recorder.note_visit();
            self.go_on_if_possible()?;
            self.decide_size()?;
            self.mention_viewers();
        }
        Ok(())
    }
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
