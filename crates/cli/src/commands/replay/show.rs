//! The loop: keys and time in, screens out.

mod looks;

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use model::{ExitStatus, TermSize};
use playback::{Case, Query};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use system::Timer;

use super::keys::{Key, Keys};
use super::reel::Reel;
use super::replaying::{Due, Effect, Place, Replaying, Way};
use super::scout::{News, Scout};
use crate::attach::Backlog;
use crate::{output, wakes};
use outer::{Signals, Stage, Takeover};

/// People see no more than sixty screens in a second.
const FRAME: Duration = Duration::from_micros(16_667);

/// While nothing happens, the position moves on.
const POSITION: Duration = Duration::from_millis(100);

/// Events are played for so long before keys are looked at again.
const TURN: Duration = Duration::from_millis(10);

/// The rest of a key's bytes follows its first one within this time; otherwise that was the escape key.
const KEY_WITHIN: Duration = Duration::from_millis(50);

/// While it plays, the mark before is one that is further back than this: the last one may just have gone by.
const JUST_NOW_US: u64 = 1_000_000;

/// How much is read from the outer terminal at once.
const TYPED_BYTES: usize = 4 << 10;

/// How the recording ends.
pub(super) enum Ending {
    /// It goes on: the worker lives.
    Live {
        name: String,
    },
    Exited(ExitStatus),
    Lost,
}

/// A replay on the outer terminal.
pub(super) struct Show<'a> {
    takeover: &'a Takeover,
    signals: Signals,
    scout: Scout,
    reel: Reel,
    replaying: Replaying,
    ending: Ending,
    timer: Timer,
    keys: Keys,
    /// When the beginning of a key came whose rest has not.
    unfinished_since: Option<Instant>,
    /// What is to be said of the last key, until the next one.
    note: Option<String>,
    /// The number of the search whose end is waited for.
    searching: Option<u64>,
    stage: Stage,
    /// What the outer terminal has not taken yet.
    unshown: Backlog,
    painted: Option<Instant>,
    /// Something has changed since then.
    is_stale: bool,
    colours: bool,
}

/// All that can wake the loop.
#[derive(Clone, Copy)]
enum Wake {
    /// The person typed, or the outer terminal is gone.
    Typed,
    /// The outer terminal has another size, or another program had it for a while.
    Window,
    /// A signal asks us to leave.
    Asked,
    /// A mark or a moment was found.
    News,
    /// The next event or screen is due.
    Time,
    /// The outer terminal takes output again.
    Room,
}

/// What the loop does next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Wait,
    Quit,
}

impl<'a> Show<'a> {
    /// A replay that has not begun, in a window of this size.
    pub(super) fn new(
        takeover: &'a Takeover,
        signals: Signals,
        scout: Scout,
        reel: Reel,
        replaying: Replaying,
        ending: Ending,
        size: TermSize,
    ) -> Result<Show<'a>> {
        Ok(Show {
            takeover,
            signals,
            scout,
            reel,
            replaying,
            ending,
            timer: Timer::new().context("cannot make a timer")?,
            keys: Keys::default(),
            unfinished_since: None,
            note: None,
            searching: None,
            stage: Stage::new(size),
            unshown: Backlog::default(),
            painted: None,
            is_stale: true,
            colours: output::takes_colours(),
        })
    }

    /// Plays, from a time on or from the beginning, until the person quits.
    pub(super) fn run(mut self, from_us: Option<u64>) -> Result<()> {
        if let Some(from_us) = from_us {
            self.go(Place::Time(from_us));
        }
        self.replaying.play(Instant::now());
        loop {
            let due = self.play();
            let was_painted = self.painted.is_some();
            if self.show().is_err() {
                // The terminal is gone.
                return Ok(());
            }
            if !was_painted && self.painted.is_some() {
                // Not before the first screen is there: starting a process takes time.
                self.takeover.start_guard();
            }
            self.timer.set(self.wake_at(due)).context("cannot set a timer")?;
            for wake in self.wait()? {
                if self.handle(wake)? == Next::Quit {
                    return Ok(());
                }
            }
        }
    }

    /// Plays what is due, for the length of a turn; says what is due after it.
    fn play(&mut self) -> Due {
        let began = Instant::now();
        loop {
            let now = Instant::now();
            let (was_playing, pause) = (self.replaying.is_playing(), self.reel.pause());
            let due = self.replaying.tick(now, pause);
            self.is_stale |= was_playing && !self.replaying.is_playing();
            if due != Due::Event {
                return due;
            }
            self.reel.play_next();
            self.is_stale = true;
            if now - began >= TURN {
                return Due::At(now);
            }
        }
    }

    /// When to wake up, if nothing else happens.
    fn wake_at(&self, due: Due) -> Option<Instant> {
        let painted = self.painted.unwrap_or_else(Instant::now);
        let event = match due {
            Due::At(at) => Some(at),
            Due::Event => Some(painted),
            Due::Nothing => None,
        };
        // Without room, another screen would have to wait.
        let can_paint = self.unshown.is_empty();
        let frame = (can_paint && self.is_stale).then_some(painted + FRAME);
        let position = (can_paint && self.replaying.is_playing()).then_some(painted + POSITION);
        let key = self.unfinished_since.map(|since| since + KEY_WITHIN);
        [event, frame, position, key].into_iter().flatten().min()
    }

    /// Waits; gives what happened, keys first.
    fn wait(&self) -> Result<Vec<Wake>> {
        let outer = self.takeover.outer();
        let mut polled = vec![
            (Wake::Typed, PollFd::from_borrowed_fd(outer.input(), PollFlags::IN)),
            (Wake::Window, PollFd::from_borrowed_fd(self.signals.window(), PollFlags::IN)),
            (Wake::Asked, PollFd::from_borrowed_fd(self.signals.asked(), PollFlags::IN)),
            (Wake::News, PollFd::from_borrowed_fd(self.scout.told(), PollFlags::IN)),
            (Wake::Time, PollFd::new(&self.timer, PollFlags::IN)),
        ];
        if !self.unshown.is_empty() {
            polled.push((Wake::Room, PollFd::from_borrowed_fd(outer.output(), PollFlags::OUT)));
        }
        wakes::wait(polled)
    }

    fn handle(&mut self, wake: Wake) -> Result<Next> {
        match wake {
            Wake::Typed => return self.take_typed(),
            Wake::Window if self.follow_window().is_err() => return Ok(Next::Quit),
            Wake::Window => {}
            Wake::Asked => return Ok(Next::Quit),
            Wake::News => self.take_news(),
            Wake::Time => {
                self.is_stale |= self.replaying.is_playing();
                let is_late = self.unfinished_since.is_some_and(|since| since.elapsed() >= KEY_WITHIN);
                if is_late {
                    self.unfinished_since = None;
                    let key = self.keys.give_up();
                    return self.press(key);
                }
            }
            // After every turn, what can be shown is.
            Wake::Room => {}
        }
        Ok(Next::Wait)
    }

    fn take_typed(&mut self) -> Result<Next> {
        let mut chunk = [0; TYPED_BYTES];
        let Some(bytes) = self.takeover.outer().read(&mut chunk) else { return Ok(Next::Quit) };
        let keys = self.keys.take(bytes);
        self.unfinished_since = self.keys.is_unfinished().then(Instant::now);
        self.press(keys)
    }

    fn press(&mut self, keys: impl IntoIterator<Item = Key>) -> Result<Next> {
        for key in keys {
            (self.is_stale, self.note) = (true, None);
            match self.replaying.press(key, Instant::now()) {
                Some(Effect::Quit) => return Ok(Next::Quit),
                Some(effect) => self.perform(effect).context("cannot look ahead")?,
                None => {}
            }
        }
        Ok(Next::Wait)
    }

    fn perform(&mut self, effect: Effect) -> io::Result<()> {
        // A person who goes elsewhere no longer wants to jump to the search result.
        self.searching = None;
        match effect {
            Effect::Go(place) => self.go(place),
            Effect::Step(way) => {
                let at_us = self.reel.step(way);
                self.arrive(at_us);
            }
            Effect::GoToMark(way) => self.go_to_mark(way),
            Effect::Find { pattern, way } => self.find(&pattern, way)?,
            Effect::Quit => {}
        }
        Ok(())
    }

    fn go(&mut self, place: Place) {
        let at_us = self.reel.go(place);
        self.arrive(at_us);
    }

    /// The reel was wound to another time.
    fn arrive(&mut self, at_us: u64) {
        let is_at_end = self.reel.is_at_end();
        self.replaying.arrived(at_us, is_at_end, Instant::now());
    }

    fn go_to_mark(&mut self, way: Way) {
        let is_behind = way == Way::Back && self.replaying.is_playing();
        let just_now = if is_behind { JUST_NOW_US as f64 * self.replaying.speed() } else { 0.0 };
        match self.reel.go_to_sign(self.replaying.at_us().saturating_sub(just_now as u64), way) {
            Some(at_us) => self.arrive(at_us),
            None if way == Way::Forward => self.note = Some("no mark after this".into()),
            None => self.note = Some("no mark before this".into()),
        }
    }

    fn find(&mut self, pattern: &str, way: Way) -> io::Result<()> {
        // What is no regular expression is a text.
        let query =
            Query::new(pattern, false, Case::Smart).or_else(|_| Query::new(pattern, true, Case::Smart));
        self.note = Some(match query {
            Ok(query) => {
                self.searching = Some(self.scout.search(query, self.reel.moment(), way)?);
                format!("looking for {pattern} …")
            }
            Err(error) => error.to_string(),
        });
        Ok(())
    }

    fn take_news(&mut self) {
        for news in self.scout.news() {
            match news {
                News::Mark(mark) => self.reel.add_mark(mark),
                News::Found { number, moment } if self.searching == Some(number) => {
                    self.searching = None;
                    match moment {
                        Some(moment) => {
                            self.note = None;
                            let at_us = self.reel.go_to(moment);
                            self.arrive(at_us);
                        }
                        None => self.note = Some("no match in that direction".into()),
                    }
                }
                News::Found { .. } => {}
            }
            self.is_stale = true;
        }
    }

    /// Takes the outer terminal as it is now; an error means that it is gone.
    fn follow_window(&mut self) -> Result<()> {
        self.signals.clear_window();
        self.takeover.outer().make_raw()?;
        self.stage = Stage::new(self.takeover.outer().size()?);
        self.is_stale = true;
        Ok(())
    }

    /// Gives the outer terminal what it takes now; an error means that it is gone.
    fn show(&mut self) -> Result<(), Errno> {
        let outer = self.takeover.outer();
        self.unshown.pass(|bytes| outer.write_some(bytes))?;
        let is_time = self.painted.is_none_or(|painted| painted.elapsed() >= FRAME);
        // A screen is painted as it is when it can be seen: what came between is not.
        if self.is_stale && is_time && self.unshown.is_empty() {
            self.paint();
            (self.is_stale, self.painted) = (false, Some(Instant::now()));
            self.unshown.pass(|bytes| outer.write_some(bytes))?;
        }
        Ok(())
    }
}
