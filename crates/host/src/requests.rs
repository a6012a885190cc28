//! What viewers ask for, and what they are told.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::{Offset, TermSize};
use protocol::{
    Attach, Form, HostMessage, Leased, OLDEST_VERSION, Refusal, Refused, Resized, VERSION, ViewerId,
    ViewerMessage, Viewers, Welcome,
};
use rustix::event::epoll::{self, EventFlags};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open};
use terminal::SnapshotForm;

use crate::log;
use crate::run::{Host, Request, Wake};
use crate::size;
use crate::told::{Snapshot, Told};
use crate::typists::Arrival;
use crate::viewer::{Feed, Needs, Role, Ticket, Viewer, Watching};

/// A viewer that has read nothing for so long, while there was something to read, is let go.
const STALLED: Duration = Duration::from_secs(600);

/// Lines of history in the screen that a segment begins with. Older ones are in the segments before it.
const SEGMENT_HISTORY: usize = 1000;

/// No name of a viewer is longer.
const MOST_NAME_CHARACTERS: usize = 64;

/// A longer name of a typist is not taken. Relays put in front of it for whom they speak.
const MOST_TYPIST_BYTES: usize = 256;

impl Host {
    /// Reads what a viewer said, and does it.
    pub(crate) fn listen_to(&mut self, id: ViewerId) -> io::Result<()> {
        let mut chunk = std::mem::take(&mut self.chunk);
        let read = self.viewers.get_mut(id).map(|viewer| viewer.read(&mut chunk));
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
            let listens = |viewer: &&mut Viewer| !viewer.is_overfull();
            let message = match self.viewers.get_mut(id).filter(listens).map(Viewer::next_frame) {
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

    fn heed(&mut self, id: ViewerId, message: ViewerMessage) -> io::Result<()> {
        let changes_something = matches!(
            message,
            ViewerMessage::Input(_)
                | ViewerMessage::Shutdown
                | ViewerMessage::Kill(_)
                | ViewerMessage::Lease
                | ViewerMessage::Upgrade(_)
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
                    watching.acked = watching.acked.map(|acked| acked.max(offset.min(end)));
                }
                self.pump(id)
            }
            ViewerMessage::Status => {
                let report = HostMessage::Status(Box::new(self.status()));
                self.say(id, &report)
            }
            ViewerMessage::Ping(token) => self.say(id, &HostMessage::Pong(token)),
            ViewerMessage::Redraw => self.redraw(id),
            ViewerMessage::Kill(signal) => self.kill(id, signal),
            ViewerMessage::Shutdown => {
                self.note(id, "asks for the end");
                self.begin_ending()
            }
            ViewerMessage::Lease => self.lease(id),
            ViewerMessage::Upgrade(upgrade) => self.begin_upgrade(id, upgrade),
        }
    }

    fn attach(&mut self, id: ViewerId, attach: Attach) -> io::Result<()> {
        if attach.version < OLDEST_VERSION {
            let why = format!(
                "this host speaks protocol {OLDEST_VERSION} to {VERSION}, the viewer {}",
                attach.version
            );
            self.refuse(id, Refusal::Version, why)?;
            return self.dismiss(id);
        }
        if self.viewers.get(id).is_none_or(|viewer| !matches!(viewer.role, Role::Asking)) {
            return self.refuse(id, Refusal::BadMessage, "you have attached already".into());
        }
        let (typist, typed) = self.typist_arrives(id, &attach)?;
        let end = self.end();
        let resumed =
            attach.since.filter(|since| attach.epoch == Some(self.epoch) && self.can_resume(*since));
        let watching = Watching {
            name: attach.name.chars().take(MOST_NAME_CHARACTERS).collect(),
            read_only: attach.read_only || attach.quiet,
            form: match attach.form {
                Form::Full => SnapshotForm::Full { history: attach.history as usize },
                Form::Screen => SnapshotForm::Screen,
            },
            events: attach.events,
            size: attach.size,
            acked: attach.ack.then_some(resumed.unwrap_or(end)),
            drawn: resumed.unwrap_or_default(),
            feed: match resumed {
                _ if attach.quiet => Feed::Quiet,
                Some(at) => Feed::Live { at },
                None => Feed::Behind,
            },
            since: Timestamp::now(),
            active: self.viewers.next_activity(),
            resyncs: 0,
            redraw: false,
            was_too_late: false,
            told_exit: false,
            typist,
        };
        let welcome = HostMessage::Welcome(Welcome {
            version: VERSION,
            worker: self.meta.worker,
            name: self.meta.name.clone(),
            epoch: self.epoch,
            offset: end,
            size: self.size,
            state: self.state(),
            viewer: id,
            typed,
        });
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.role = Role::Watching(watching);
            viewer.is_starter = false;
            viewer.say(&welcome);
            let rights = if attach.read_only { "to watch" } else { "to type" };
            log::line(&format!("{} attached {rights}", viewer.who()));
        }
        self.decide_size()?;
        self.mention_viewers();
        self.pump(id)
    }

    /// Who types through this viewer, and how much of that was dealt with before, if anybody says so and may.
    fn typist_arrives(&mut self, id: ViewerId, attach: &Attach) -> io::Result<(Option<String>, Option<u64>)> {
        let may_type = !attach.read_only && !attach.quiet;
        let is_name = |name: &&String| may_type && (1..=MOST_TYPIST_BYTES).contains(&name.len());
        let Some(name) = attach.typist.as_ref().filter(is_name) else { return Ok((None, None)) };
        let Arrival { typed, earlier } = self.viewers.typists.arrive(name, id);
        if let Some(earlier) = earlier {
            self.dismiss(earlier)?;
        }
        Ok((Some(name.clone()), typed))
    }

    /// Whether a viewer that has everything before this offset can be sent just the rest. One that left just where the
    /// size changed may have the screen of the size before.
    fn can_resume(&self, since: Offset) -> bool {
        let tape = self.tape();
        since >= tape.start()
            && since <= tape.end()
            && (since > self.resized_at || self.resized_at == Offset(0))
    }

    fn typed(&mut self, id: ViewerId, bytes: &[u8]) -> io::Result<()> {
        let typist =
            self.viewers.get(id).and_then(Viewer::watching).and_then(|watching| watching.typist.clone());
        if let Some(typist) = typist {
            self.viewers.typists.typed(&typist, bytes.len());
        }
        if self.has_exited() {
            return self.refuse(id, Refusal::Exited, "the worker has ended".into());
        }
        if !self.input.take(bytes) {
            let why = "the program does not read its input; nothing of this was taken".into();
            return self.refuse(id, Refusal::InputFull, why);
        }
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.typed_bytes += bytes.len() as u64;
        }
        self.pass_input()?;
        self.took_focus(id)
    }

    fn viewer_resized(&mut self, id: ViewerId, size: TermSize) -> io::Result<()> {
        let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) else { return Ok(()) };
        if watching.read_only {
            return Ok(());
        }
        watching.size = Some(size);
        self.decide_size()
    }

    /// Somebody pays attention to this viewer; it may own the size.
    fn took_focus(&mut self, id: ViewerId) -> io::Result<()> {
        let is_owner = self.viewers.owner == Some(id);
        let may_own = |watching: &Watching| !watching.read_only && watching.size.is_some();
        if is_owner || !self.viewers.get(id).and_then(Viewer::watching).is_some_and(may_own) {
            return Ok(());
        }
        let active = self.viewers.next_activity();
        if let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) {
            watching.active = active;
        }
        self.decide_size()
    }

    /// Gives the terminal the size that the policy says.
    pub(crate) fn decide_size(&mut self) -> io::Result<()> {
        let Some((size, owner)) = size::decide(self.meta.size_policy, &self.viewers.claims()) else {
            self.viewers.owner = None;
            return Ok(());
        };
        let owner_changed = self.viewers.owner != owner;
        self.viewers.owner = owner;
        if size != self.size && !self.has_exited() {
            self.resize(size)?;
        } else if owner_changed {
            self.mention_viewers();
        }
        Ok(())
    }

    /// Changes the size: of the PTY, of the model, in the recording, and on every screen.
    fn resize(&mut self, size: TermSize) -> io::Result<()> {
        if let Err(error) = self.pty.resize(size) {
            log::line(&format!("cannot resize the PTY: {error}"));
            return Ok(());
        }
        self.size = size;
        self.resizes += 1;
        self.resized_at = self.end();
        self.follower.resize(self.resized_at, size);
        self.recorder.resize(self.resized_at, size);
        let resized = HostMessage::Resized(Resized { size, owner: self.viewers.owner });
        let ids = self.viewers.ids();
        for id in ids {
            let Some(viewer) = self.viewers.get_mut(id) else { continue };
            if viewer.watching().is_some() {
                viewer.say(&resized);
                // A snapshot of the old size is not sent to its end.
                viewer.stop_drawing();
                self.redraw(id)?;
            }
        }
        self.mention_viewers();
        Ok(())
    }

    /// Gives a viewer its screen anew.
    fn redraw(&mut self, id: ViewerId) -> io::Result<()> {
        let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) else { return Ok(()) };
        match watching.feed {
            // What was asked for or is being drawn may be older than what is wanted now.
            Feed::Waiting { .. } | Feed::Drawing { .. } => watching.redraw = true,
            Feed::Live { .. } | Feed::Behind => watching.feed = Feed::Behind,
            Feed::Quiet => {}
        }
        self.pump(id)
    }

    /// Puts on record who asked for something.
    fn note(&self, id: ViewerId, what: &str) {
        if let Some(viewer) = self.viewers.get(id) {
            log::line(&format!("{} {what}", viewer.who()));
        }
    }

    fn kill(&mut self, id: ViewerId, number: u8) -> io::Result<()> {
        self.note(id, &format!("sends signal {number}"));
        let sent = match Signal::from_named_raw(i32::from(number)) {
            _ if self.has_exited() => Err("the worker has ended".to_owned()),
            None => Err(format!("{number} is no signal")),
            Some(signal) => {
                self.child.signal(signal, self.pty.foreground()).map_err(|error| error.to_string())
            }
        };
        match sent {
            Ok(()) => Ok(()),
            Err(why) => self.refuse(id, Refusal::Signal, why),
        }
    }

    /// Hands out what keeps the child alive when we are killed.
    fn lease(&mut self, id: ViewerId) -> io::Result<()> {
        if self.has_exited() {
            return self.say(id, &HostMessage::Returned);
        }
        let is_fresh = |viewer: &Viewer| matches!(viewer.role, Role::Asking) && viewer.is_flushed();
        if !self.viewers.get(id).is_some_and(is_fresh) {
            return self.refuse(id, Refusal::BadMessage, "a lease has a connection of its own".into());
        }
        let own = getpid();
        let number = |pid: Pid| pid.as_raw_nonzero().get().cast_unsigned();
        let leased = HostMessage::Leased(Leased {
            worker: self.meta.worker,
            host_pid: number(own),
            child_pid: number(self.child.pid),
        });
        let sent = pidfd_open(own, PidfdFlags::empty()).map_err(io::Error::from).and_then(|own| {
            let descriptors = [self.pty.as_fd(), self.child.as_fd(), own.as_fd()];
            self.viewers.get(id).map_or(Ok(()), |viewer| viewer.send_with(&leased, &descriptors))
        });
        match (sent, self.viewers.get_mut(id)) {
            (Ok(()), Some(viewer)) => {
                viewer.role = Role::Leasing;
                Ok(())
            }
            _ => self.dismiss(id),
        }
    }

    fn refuse(&mut self, id: ViewerId, code: Refusal, message: String) -> io::Result<()> {
        self.say(id, &HostMessage::Refused(Refused { code, message }))
    }

    /// Queues a message for one connection, and sends what can be sent.
    pub(crate) fn say(&mut self, id: ViewerId, message: &HostMessage) -> io::Result<()> {
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.say(message);
        }
        self.pump(id)
    }

    /// Tells who watches, to those who want to know.
    pub(crate) fn mention_viewers(&mut self) {
        let wants = |viewer: &Viewer| viewer.watching().is_some_and(|watching| watching.events);
        if self.viewers.iter().any(wants) {
            let viewers = self.viewers.reports(self.end());
            self.mention(&HostMessage::Viewers(Viewers { viewers }));
        }
    }

    /// Tells something in passing, to those who want to know.
    fn mention(&mut self, message: &HostMessage) {
        self.mentioned = true;
        let frame = message.to_bytes();
        for viewer in self.viewers.iter_mut() {
            if viewer.watching().is_some_and(|watching| watching.events) {
                viewer.mention(&frame);
            }
        }
    }

    /// Lets a connection go.
    pub(crate) fn dismiss(&mut self, id: ViewerId) -> io::Result<()> {
        let Some(gone) = self.viewers.remove(id) else { return Ok(()) };
        if gone.watching().is_some() || gone.typed_bytes > 0 {
            log::line(&format!("{} left after typing {} bytes", gone.who(), gone.typed_bytes));
        }
        if let Some(typist) = gone.watching().and_then(|watching| watching.typist.as_ref()) {
            self.viewers.typists.left(typist, id);
        }
        // What follows from that comes once, however many go at the same time.
        self.somebody_left |= gone.watching().is_some();
        Ok(())
    }

    /// What follows when viewers have left.
    pub(crate) fn tidy_up(&mut self) -> io::Result<()> {
        while std::mem::take(&mut self.somebody_left) {
            self.recorder.note_visit();
            self.go_on_if_possible()?;
            self.decide_size()?;
            self.mention_viewers();
        }
        Ok(())
    }

    /// Sends every viewer what there is for it.
    pub(crate) fn pump_all(&mut self) -> io::Result<()> {
        let exited = self.exited_message();
        let mut needy = Vec::new();
        {
            let tape = self.tape.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            for viewer in self.viewers.iter_mut() {
                if viewer.room_awaited {
                    viewer.let_fall_behind(&tape);
                    if viewer.full_since.is_some_and(|since| since.elapsed() > STALLED) {
                        needy.push((viewer.id, Needs::Goodbye));
                    }
                    continue;
                }
                let needs = viewer.pump(&tape, exited.as_ref());
                if needs != Needs::Nothing || !viewer.is_flushed() {
                    needy.push((viewer.id, needs));
                }
            }
        }
        for (id, needs) in needy {
            self.attend(id, needs)?;
        }
        Ok(())
    }

    /// The same, and looks after those whose socket was full.
    pub(crate) fn pump_every(&mut self) -> io::Result<()> {
        self.viewers.ids().into_iter().try_for_each(|id| self.pump(id))
    }

    /// Sends one viewer what there is for it.
    pub(crate) fn pump(&mut self, id: ViewerId) -> io::Result<()> {
        let exited = self.exited_message();
        let needs = {
            let tape = self.tape.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let Some(viewer) = self.viewers.get_mut(id) else { return Ok(()) };
            viewer.pump(&tape, exited.as_ref())
        };
        self.attend(id, needs)
    }

    /// Sees to what a viewer needs after it was sent what there is.
    fn attend(&mut self, id: ViewerId, needs: Needs) -> io::Result<()> {
        match needs {
            Needs::Nothing => {}
            Needs::Goodbye => return self.dismiss(id),
            Needs::Snapshot => {
                let Some(watching) = self.viewers.get(id).and_then(Viewer::watching) else { return Ok(()) };
                let (form, deep) = (watching.form, !watching.was_too_late);
                let ticket = self.request(form, deep);
                let at = self.end();
                if let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) {
                    watching.feed = Feed::Waiting { ticket, at };
                    watching.redraw = false;
                }
            }
        }
        let Some(viewer) = self.viewers.get_mut(id) else { return Ok(()) };
        let wants_room = !viewer.is_flushed();
        let is_heard = !viewer.is_overfull();
        if wants_room != viewer.room_awaited || is_heard != viewer.is_heard {
            (viewer.room_awaited, viewer.is_heard) = (wants_room, is_heard);
            let mut flags = EventFlags::empty();
            flags.set(EventFlags::IN, is_heard);
            flags.set(EventFlags::OUT, wants_room);
            epoll::modify(&self.events, &*viewer, Wake::Viewer(id).data(), flags)?;
        }
        Ok(())
    }

    /// Asks the model for the screen as it is now; everyone who asks for the same gets the same.
    fn request(&mut self, form: SnapshotForm, deep: bool) -> Ticket {
        let at = self.end();
        let same = |request: &&Request| {
            request.at == at
                && request.form == form
                && request.deep == deep
                && request.resizes == self.resizes
        };
        if let Some(request) = self.requests.iter().find(same) {
            return request.ticket;
        }
        let ticket = self.next_ticket();
        self.requests.push(Request { ticket, at, form, deep, resizes: self.resizes });
        self.follower.snapshot(at, form, ticket, deep);
        self.note_awaited();
        ticket
    }

    fn next_ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket)
    }

    /// Hears what the other threads have told.
    pub(crate) fn hear(&mut self) -> io::Result<()> {
        let Told { replies, signals, snapshots, program, model_failures, recording, written, probed } =
            self.board.take();
        if !replies.is_empty() && !self.has_exited() {
            // A child that asks and never reads gets no answer.
            self.input.take(&replies);
            self.pass_input()?;
        }
        self.model_failures += model_failures;
        if let Some(program) = program {
            self.program = program;
        }
        if let Some(recording) = recording {
            self.recording = recording;
        }
        for signal in signals {
            self.mention(&HostMessage::Signal(signal));
        }
        for snapshot in snapshots {
            self.deliver(&snapshot)?;
        }
        if self.recorder.take_full() && !self.has_exited() {
            self.begin_segment();
        }
        self.go_on_if_possible()?;
        self.note_awaited();
        self.pump_all()?;
        if let Some(offset) = written {
            self.recorder_settled(offset)?;
        }
        self.tell_exit_if_saved()?;
        if let Some(result) = probed {
            self.probed(result)?;
        }
        Ok(())
    }

    /// The recorder wants a new segment: it begins where the tape ends now, with the screen as it is there.
    fn begin_segment(&mut self) {
        let at = self.end();
        let ticket = self.next_ticket();
        self.recorder.begin_segment(at, ticket);
        self.follower.snapshot(at, SnapshotForm::Full { history: SEGMENT_HISTORY }, ticket, false);
    }

    /// A screen has been drawn: to whoever asked for it.
    fn deliver(&mut self, snapshot: &Arc<Snapshot>) -> io::Result<()> {
        self.requests.retain(|request| request.ticket != snapshot.ticket);
        self.note_awaited();
        if self.recorder.deliver(snapshot) || self.settle_upgrade(snapshot)? {
            return Ok(());
        }
        let tape_start = self.tape().start();
        for viewer in self.viewers.iter_mut() {
            let Some(watching) = viewer.watching_mut() else { continue };
            let Feed::Waiting { ticket, .. } = watching.feed else { continue };
            if ticket != snapshot.ticket {
                continue;
            }
            // What was printed since must still be there, or it would be missing after the snapshot.
            watching.was_too_late = snapshot.at < tape_start;
            watching.feed = if watching.redraw || watching.was_too_late {
                Feed::Behind
            } else {
                Feed::Drawing { snapshot: Arc::clone(snapshot), sent: 0 }
            };
        }
        Ok(())
    }
}
