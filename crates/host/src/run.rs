//! The one loop.
//!
//! Everything that can wake a host is a [`Wake`]. What a wake leads to is in the other files of this crate, which add
//! to [`Host`]: `requests` (what viewers ask), `publish` (what the child prints), `leaving` (the end).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use home::{Meta, WorkerDir};
use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use protocol::{ProgramReport, RecordingReport, ViewerId};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1};

use crate::follower::Follower;
use crate::input::Input;
use crate::leaving::Life;
use crate::listener::Listener;
use crate::log;
use crate::pty::{Child, Pty};
use crate::publish::{Awaited, LEFT_ALONE, Reading};
use crate::recorder::Recorder;
use crate::tape::Tape;
use crate::told::Board;
use crate::upgrade::Upgrading;
use crate::viewer::{Ticket, Viewer};
use crate::viewers::Viewers;

/// All that can wake a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The child printed something, or can take what was typed.
    Pty,
    /// Somebody connects.
    Listener,
    /// The child has ended.
    Child,
    /// Another thread has told something.
    Told,
    /// Somebody sent us a signal.
    Signal,
    /// Something is due.
    Timer,
    /// A viewer said something, has gone, or can take more.
    Viewer(ViewerId),
}

impl Wake {
    /// Viewers are counted from here on.
    const VIEWERS: u64 = 16;

    pub(crate) fn data(self) -> EventData {
        EventData::new_u64(match self {
            Wake::Pty => 0,
            Wake::Listener => 1,
            Wake::Child => 2,
            Wake::Told => 3,
            Wake::Signal => 4,
            Wake::Timer => 5,
            Wake::Viewer(id) => Wake::VIEWERS + id.0,
        })
    }

    fn of(data: EventData) -> Wake {
        match data.u64() {
            0 => Wake::Pty,
            1 => Wake::Listener,
            2 => Wake::Child,
            3 => Wake::Told,
            4 => Wake::Signal,
            5 => Wake::Timer,
            id => Wake::Viewer(ViewerId(id - Wake::VIEWERS)),
        }
    }
}

/// How long a host rests when the whole machine has no descriptors left.
const NO_ROOM: Duration = Duration::from_millis(10);

/// A screen that was asked for and has not come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) ticket: Ticket,
    pub(crate) at: Offset,
    pub(crate) form: terminal::SnapshotForm,
    /// Whether lines that the model does not have are looked for in the recording, which may take its time.
    pub(crate) deep: bool,
    /// How often the size had changed by then.
    pub(crate) resizes: u64,
}

/// The whole host. Its one thread owns it; the model and the recorder have threads of their own.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) dir: WorkerDir,
    pub(crate) meta: Meta,
    pub(crate) lock: File,
    pub(crate) epoch: Epoch,
    pub(crate) started_at: Timestamp,
    pub(crate) printed_at: Option<Timestamp>,
    /// Since when the model and the recorder have not been told of what is new.
    pub(crate) left_alone_since: Option<Instant>,

    pub(crate) pty: Pty,
    pub(crate) child: Child,
    pub(crate) input: Input,
    pub(crate) size: TermSize,
    /// The last change of size came after so many bytes.
    pub(crate) resized_at: Offset,
    pub(crate) resizes: u64,
    pub(crate) life: Life,
    pub(crate) reading: Reading,
    /// What of the PTY is waited for.
    pub(crate) pty_awaited: EventFlags,

    pub(crate) tape: Arc<RwLock<Tape>>,
    pub(crate) board: Arc<Board>,
    pub(crate) follower: Follower,
    pub(crate) recorder: Recorder,
    pub(crate) program: ProgramReport,
    pub(crate) recording: RecordingReport,
    /// Whether the disk was too slow, and has not caught up since.
    pub(crate) recorder_left_behind: bool,
    pub(crate) model_failures: u64,

    pub(crate) listener: Listener,
    pub(crate) viewers: Viewers,
    pub(crate) requests: Vec<Request>,
    pub(crate) next_ticket: u64,
    pub(crate) model_awaited: Option<Awaited>,
    pub(crate) upgrading: Option<Upgrading>,
    /// Whether viewers have left, and what follows from that is still to come.
    pub(crate) somebody_left: bool,
    /// Whether something was told in passing that is not sent yet.
    pub(crate) mentioned: bool,
    /// A descriptor kept for the moment when there are no more: with it somebody can be told so.
    pub(crate) spare: Option<File>,

    pub(crate) events: OwnedFd,
    pub(crate) timer: OwnedFd,
    pub(crate) timer_at: Option<Instant>,
    pub(crate) signals: Signals,
    /// Where bytes are read to.
    pub(crate) chunk: Vec<u8>,
}

/// Signals, as descriptors.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Somebody misses our socket.
    missed: UnixStream,
    /// Somebody wants us to end.
    asked: UnixStream,
}

impl Signals {
    /// From here on, signals are told through descriptors. Those that a terminal or a peer sends for no good reason
    /// are caught and forgotten; ignoring them would be inherited by the child.
    pub(crate) fn listen() -> io::Result<Signals> {
        let listen_for = |numbers: &[i32]| -> io::Result<UnixStream> {
            let (ours, handlers) = UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            for number in numbers {
                signal_hook::low_level::pipe::register(*number, handlers.try_clone()?)?;
            }
            Ok(ours)
        };
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE] {
            signal_hook::flag::register(number, Arc::default())?;
        }
        Ok(Signals { missed: listen_for(&[SIGUSR1])?, asked: listen_for(&[SIGTERM])? })
    }

    fn take(stream: &UnixStream) -> bool {
        let mut stream = stream;
        let mut any = false;
        while stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {
            any = true;
        }
        any
    }
}

/// The descriptors that the loop waits with.
pub(crate) fn events() -> io::Result<(OwnedFd, OwnedFd)> {
    let events = epoll::create(CreateFlags::CLOEXEC)?;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
    Ok((events, timer))
}

impl Host {
    /// Waits for everything that is always waited for.
    pub(crate) fn register(&self) -> io::Result<()> {
        let add = |source: rustix::fd::BorrowedFd<'_>, wake: Wake| {
            epoll::add(&self.events, source, wake.data(), EventFlags::IN)
        };
        add(self.pty.as_fd(), Wake::Pty)?;
        add(self.listener.as_fd(), Wake::Listener)?;
        add(self.child.as_fd(), Wake::Child)?;
        add(self.board.waker().as_fd(), Wake::Told)?;
        add(self.signals.missed.as_fd(), Wake::Signal)?;
        add(self.signals.asked.as_fd(), Wake::Signal)?;
        add(self.timer.as_fd(), Wake::Timer)?;
        for viewer in self.viewers.iter() {
            self.await_viewer(viewer)?;
        }
        Ok(())
    }

    /// Waits for what a viewer says.
    pub(crate) fn await_viewer(&self, viewer: &Viewer) -> io::Result<()> {
        Ok(epoll::add(&self.events, viewer, Wake::Viewer(viewer.id).data(), EventFlags::IN)?)
    }

    /// Runs to the worker's end.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut woken = Vec::with_capacity(64);
        while !self.is_over() {
            self.arm_timer()?;
            woken.clear();
            let soon = self.left_alone_since.and_then(|_| Timespec::try_from(LEFT_ALONE).ok());
            match epoll::wait(&self.events, rustix::buffer::spare_capacity(&mut woken), soon.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if woken.is_empty() && self.left_alone_since.is_some() {
                self.tell_threads();
            }
            for event in woken.drain(..) {
                self.handle(Wake::of(event.data), event.flags)?;
            }
            self.tidy_up()?;
            if std::mem::take(&mut self.mentioned) {
                self.pump_all()?;
            }
        }
        self.leave();
        Ok(())
    }

    fn handle(&mut self, wake: Wake, flags: EventFlags) -> io::Result<()> {
        match wake {
            Wake::Pty => {
                if flags.contains(EventFlags::OUT) {
                    self.pass_input()?;
                }
                if flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR) {
                    self.drain_pty()?;
                }
            }
            Wake::Listener => self.accept()?,
            Wake::Child => self.child_ended()?,
            Wake::Told => self.hear()?,
            Wake::Signal => self.heed_signals()?,
            Wake::Timer => self.keep_dates()?,
            Wake::Viewer(id) => {
                if flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR) {
                    self.listen_to(id)?;
                }
                if flags.contains(EventFlags::OUT) {
                    self.pump(id)?;
                    self.heed_frames(id)?;
                    self.go_on_if_possible()?;
                }
            }
        }
        Ok(())
    }

    /// The tape, for reading.
    pub(crate) fn tape(&self) -> RwLockReadGuard<'_, Tape> {
        self.tape.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// After the newest byte.
    pub(crate) fn end(&self) -> Offset {
        self.tape().end()
    }

    /// Somebody connects; if there are no descriptors left, he is told so.
    fn accept(&mut self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                Ok(Some(stream)) => self.welcome(stream)?,
                Ok(None) => return Ok(()),
                Err(error) if is_out_of_descriptors(&error) => {
                    self.refuse_for_want_of_room();
                    return Ok(());
                }
                // Whoever connected has gone again.
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
    fn refuse_for_want_of_room(&mut self) {
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
            // Whoever waits at the socket cannot even be refused; without a pause we would look for ever.
            std::thread::sleep(NO_ROOM);
        }
    }

    fn heed_signals(&mut self) -> io::Result<()> {
        if Signals::take(&self.signals.missed) {
            self.bind_again()?;
        }
        if Signals::take(&self.signals.asked) {
            log::line("asked to end by a signal");
            self.begin_ending()?;
        }
        Ok(())
    }

    /// Somebody misses the socket: it is made again.
    fn bind_again(&mut self) -> io::Result<()> {
        match self.dir.make().map_err(io::Error::other).and_then(|()| Listener::bind(&self.dir)) {
            Ok(listener) => {
                let awaited = epoll::add(&self.events, &listener, Wake::Listener.data(), EventFlags::IN);
                match awaited {
                    Ok(()) => self.listener = listener,
                    Err(error) => log::line(&format!("cannot wait at the new socket: {error}")),
                }
            }
            Err(error) => log::line(&format!("cannot make the socket again: {error}")),
        }
        Ok(())
    }

    /// Sets the timer to what is due next. While nothing is, there is none.
    fn arm_timer(&mut self) -> io::Result<()> {
        let due = self.dates().into_iter().flatten().min();
        if due == self.timer_at {
            return Ok(());
        }
        self.timer_at = due;
        // A date that has passed is due at once; zero would switch the timer off.
        let wait = due.map(|due| due.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1)));
        let wait = wait.and_then(|wait| Timespec::try_from(wait).ok());
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        let setting = Itimerspec { it_interval: none, it_value: wait.unwrap_or(none) };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &setting)?;
        Ok(())
    }

    /// Everything that has a date.
    fn dates(&self) -> [Option<Instant>; 6] {
        [
            self.ending_due(),
            self.model_due(),
            self.recorder_due(),
            self.viewer_due(),
            self.upgrade_due(),
            self.leaving_due(),
        ]
    }

    fn keep_dates(&mut self) -> io::Result<()> {
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        self.timer_at = None;
        let now = Instant::now();
        let is_due = |date: Option<Instant>| date.is_some_and(|date| date <= now);
        let [ending, model, recorder, viewer, upgrade, leaving] = self.dates().map(is_due);
        if ending {
            self.step_ending(now)?;
        }
        if model {
            self.look_at_model(now)?;
        }
        if recorder {
            self.give_up_on_recorder()?;
        }
        if viewer {
            self.look_at_viewer(now)?;
        }
        if upgrade {
            self.give_up_upgrade("the terminal does not come to rest")?;
        }
        if leaving {
            self.hurry()?;
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
