//! What viewers ask for.

use std::io;

use protocol::{HostMessage, Refusal, Refused, ViewerId, ViewerMessage};
use rustix::process::Signal;

use crate::host::Host;
use crate::log;
use crate::viewer::Viewer;

mod attach;
mod lease;
mod withdraw;

pub(crate) use withdraw::Withdrawn;

impl Host {
    /// Reads what a viewer said, and does it.
    pub(crate) fn listen_to(&mut self, id: ViewerId) -> io::Result<()> {
        let mut chunk = std::mem::take(&mut self.chunk);
        let read = self.viewers.get_mut(id).map(|viewer| viewer.line.read(&mut chunk));
        self.chunk = chunk;
        let has_gone = !matches!(read, Some(Ok(Some(_))));
        self.heed_frames(id)?;
        if has_gone { self.dismiss(id) } else { Ok(()) }
    }

    /// Does what a viewer said, as long as it reads what it is told.
    pub(crate) fn heed_frames(&mut self, id: ViewerId) -> io::Result<()> {
        // Of many sizes that came at once only the last matters.
        let mut size = None;
        loop {
            let listens = |viewer: &&mut Viewer| !viewer.line.is_overfull();
            let message =
                match self.viewers.get_mut(id).filter(listens).map(|viewer| viewer.line.next_frame()) {
                    None | Some(Ok(None)) => break,
                    Some(Ok(Some(frame))) => ViewerMessage::read(frame).map_err(|error| error.to_string()),
                    Some(Err(error)) => Err(error.to_string()),
                };
            match message {
                Ok(Some(ViewerMessage::Resize(wanted))) => size = Some(wanted),
                Ok(Some(message)) => {
                    if let Some(size) = size.take() {
                        self.viewer_resized(id, size)?;
                    }
                    self.heed(id, message)?;
                }
                Ok(None) => {}
                Err(why) => {
                    self.refuse(id, Refusal::BadMessage, why)?;
                    return self.dismiss(id);
                }
            }
        }
        match size {
            Some(size) => self.viewer_resized(id, size),
            None => Ok(()),
        }
    }

    pub(crate) fn heed(&mut self, id: ViewerId, message: ViewerMessage) -> io::Result<()> {
        let changes_something = matches!(
            message,
            ViewerMessage::Input(_)
                | ViewerMessage::Shutdown
                | ViewerMessage::Kill(_)
                | ViewerMessage::Lease
                | ViewerMessage::Upgrade(_)
                | ViewerMessage::Withdraw(_)
        );
        if changes_something && self.viewers.get(id).is_none_or(Viewer::is_read_only) {
            return self.refuse(id, Refusal::ReadOnly, "you attached read-only".into());
        }
        match message {
            ViewerMessage::Attach(attach) => self.attach(id, attach),
            ViewerMessage::Input(bytes) => self.typed(id, &bytes),
            ViewerMessage::Resize(size) => self.viewer_resized(id, size),
            ViewerMessage::Focus => self.took_focus(id),
            ViewerMessage::Ack(offset) => {
                let end = self.end();
                if let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) {
                    watching.pace.acknowledge(offset.min(end));
                }
                self.pump(id)
            }
            ViewerMessage::Status => {
                let report = HostMessage::Status(Box::new(self.status()));
                self.say(id, &report)
            }
            ViewerMessage::Rows => {
                self.ask_for_rows(id);
                Ok(())
            }
            ViewerMessage::Ping(token) => self.say(id, &HostMessage::Pong(token)),
            ViewerMessage::Redraw => self.redraw(id),
            ViewerMessage::Kill(signal) => self.kill(id, signal),
            ViewerMessage::Shutdown => {
                self.note(id, "asked to end the worker");
                self.begin_ending()
            }
            ViewerMessage::Lease => self.lease(id),
            ViewerMessage::Upgrade(upgrade) => self.begin_upgrade(id, upgrade),
            ViewerMessage::Withdraw(withdraw) => self.withdraw(&withdraw.principal),
        }
    }

    pub(crate) fn kill(&mut self, id: ViewerId, number: u8) -> io::Result<()> {
        self.note(id, &format!("sent signal {number}"));
        let sent = match Signal::from_named_raw(i32::from(number)) {
            _ if self.has_exited() => Err("the worker has ended".to_owned()),
            None => Err(format!("{number} is not a signal")),
            Some(signal) => {
                self.child.signal(signal, self.pty.foreground()).map_err(|error| error.to_string())
            }
        };
        match sent {
            Ok(()) => Ok(()),
            Err(why) => self.refuse(id, Refusal::Signal, why),
        }
    }

    pub(crate) fn refuse(&mut self, id: ViewerId, code: Refusal, message: String) -> io::Result<()> {
        self.say(id, &HostMessage::Refused(Refused { code, message }))
    }

    /// Puts on record who asked for something.
    pub(crate) fn note(&self, id: ViewerId, what: &str) {
        if let Some(viewer) = self.viewers.get(id) {
            log::line(&format!("{} {what}", viewer.who()));
        }
    }
}
