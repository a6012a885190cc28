//! The loop: keys and time in, screens out.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use model::{ExitStatus, Offset, TermSize};
use playback::{Case, EventKind, MaskedRecording, Moment, Player, Query, Source};
use recording::BlockKind;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::keys::Keys;
use super::replaying::{Due, Effect, Pause, Place, Replaying, Way};
use super::scout::{News, Scout};
use super::signs::Signs;
use super::stage::{Scene, Stage};
use super::status::{self, Status};
use super::timer::Timer;
use crate::attach::{Backlog, Takeover};
use crate::outer::Signals;
use crate::table::Tint;
use crate::{output, wakes, workers};

/// Nobody sees more than sixty screens in a second.
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
    player: Player<MaskedRecording>,
    replaying: Replaying,
    ending: Ending,
    timer: Timer,
    keys: Keys,
    /// When the beginning of a key came whose rest has not.
    unfinished_since: Option<Instant>,
    signs: Signs,
    /// The mark that was jumped to, as long as nothing else has happened.
    at_sign: Option<usize>,
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
    /// Somebody typed, or the outer terminal is gone.
    Typed,
    /// The outer terminal has another size, or was somebody else's for a while.
    Window,
    /// Somebody sent us a signal to leave.
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
        player: Player<MaskedRecording>,
        replaying: Replaying,
        ending: Ending,
        size: TermSize,
    ) -> Result<Show<'a>> {
        Ok(Show {
            takeover,
            signals,
            scout,
            player,
            replaying,
            ending,
            timer: Timer::new().context("cannot have a timer")?,
            keys: Keys::default(),
            unfinished_since: None,
            signs: Signs::default(),
            at_sign: None,
            note: None,
            searching: None,
            stage: Stage::new(size),
            unshown: Backlog::default(),
            painted: None,
            is_stale: true,
            colours: output::takes_colours(),
        })
    }

    /// Plays, from a time on or from the beginning, until somebody has seen enough.
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
            let (was_playing, pause) = (self.replaying.is_playing(), self.pause());
            let due = self.replaying.tick(now, pause);
            self.is_stale |= was_playing && !self.replaying.is_playing();
            if due != Due::Event {
                return due;
            }
            self.player.step();
            (self.is_stale, self.at_sign) = (true, None);
            if now - began >= TURN {
                return Due::At(now);
            }
        }
    }

    fn pause(&mut self) -> Pause {
        Pause { from_us: self.player.time_us(), to_us: self.player.next_time_us() }
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
        let frame = (self.is_stale && self.unshown.is_empty()).then_some(painted + FRAME);
        let position = self.replaying.is_playing().then_some(painted + POSITION);
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
            (Wake::Time, PollFd::from_borrowed_fd(self.timer.fd(), PollFlags::IN)),
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

    fn press(&mut self, keys: impl IntoIterator<Item = super::keys::Key>) -> Result<Next> {
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
        // Whoever goes elsewhere no longer wants to be taken to what was looked for.
        self.searching = None;
        let at_sign = self.at_sign.take();
        match effect {
            Effect::Go(place) => self.go(place),
            Effect::Step(Way::Forward) => self.step_forward(),
            Effect::Step(Way::Back) => self.step_back(),
            Effect::GoToMark(way) => self.go_to_sign(at_sign, way),
            Effect::Find { pattern, way } => self.find(&pattern, way)?,
            Effect::Quit => {}
        }
        Ok(())
    }

    fn go(&mut self, place: Place) {
        let at_us = match place {
            Place::Beginning => {
                self.player.go_to_beginning();
                self.player.time_us()
            }
            Place::Time(time_us) => {
                self.player.seek_to_time(time_us);
                time_us
            }
            Place::End => {
                self.player.seek_to_time(u64::MAX);
                self.replaying.span().end_us
            }
        };
        self.arrive(at_us);
    }

    /// The player has gone elsewhere.
    fn arrive(&mut self, at_us: u64) {
        let is_at_end = self.player.next_time_us().is_none();
        self.replaying.arrived(at_us, is_at_end, Instant::now());
    }

    /// Plays one event of which something can be seen.
    fn step_forward(&mut self) {
        while let Some(event) = self.player.step() {
            if !matches!(event.kind, EventKind::Epoch(_)) {
                break;
            }
        }
        self.arrive(self.player.time_us());
    }

    /// Goes to where the last output began.
    fn step_back(&mut self) {
        match output_before(self.player.source(), self.player.at()) {
            Some(at) => {
                self.player.seek_to_offset(at);
            }
            None => self.player.go_to_beginning(),
        }
        self.arrive(self.player.time_us());
    }

    fn go_to_sign(&mut self, at_sign: Option<usize>, way: Way) {
        let beside = match (at_sign, way) {
            (Some(here), Way::Forward) => Some(here + 1).filter(|next| *next < self.signs.all().len()),
            (Some(here), Way::Back) => here.checked_sub(1),
            (None, way) => {
                let just_now =
                    if way == Way::Back && self.replaying.is_playing() { JUST_NOW_US as f64 } else { 0.0 };
                let time_us =
                    self.replaying.at_us().saturating_sub((just_now * self.replaying.speed()) as u64);
                self.signs.beside(Moment { at: self.player.at(), time_us }, way)
            }
        };
        let Some(number) = beside else {
            self.at_sign = at_sign;
            self.note =
                Some(if way == Way::Forward { "no mark behind this" } else { "no mark before this" }.into());
            return;
        };
        let sign = &self.signs.all()[number];
        let moment = sign.moment;
        if sign.is_in_output() {
            self.player.seek_to_offset(moment.at);
        } else {
            self.player.seek_to_time(moment.time_us);
        }
        self.arrive(moment.time_us);
        self.at_sign = Some(number);
    }

    fn find(&mut self, pattern: &str, way: Way) -> io::Result<()> {
        // What is no regular expression is a text.
        let query =
            Query::new(pattern, false, Case::Smart).or_else(|_| Query::new(pattern, true, Case::Smart));
        self.note = Some(match query {
            Ok(query) => {
                self.searching = Some(self.scout.search(query, self.player.moment(), way)?);
                format!("looking for {pattern} …")
            }
            Err(error) => error.to_string(),
        });
        Ok(())
    }

    fn take_news(&mut self) {
        for news in self.scout.news() {
            match news {
                News::Mark(mark) => self.signs.add(mark),
                News::Found { number, moment } if self.searching == Some(number) => {
                    self.searching = None;
                    match moment {
                        Some(moment) => {
                            self.player.seek_to_offset(moment.at);
                            (self.at_sign, self.note) = (None, None);
                            self.arrive(moment.time_us);
                        }
                        None => self.note = Some("not found that way".into()),
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

    fn paint(&mut self) {
        let cols = self.stage.size().cols();
        let (status, typing_col) = match self.replaying.typed() {
            Some(typed) => {
                let (line, col) = status::prompt(typed, cols, self.colours);
                (line, Some(col))
            }
            None => (self.status().line(cols, self.colours), None),
        };
        let shows_help = self.replaying.shows_help();
        let scene = Scene { model: self.player.terminal(), status, typing_col, shows_help };
        self.stage.paint(&scene, self.unshown.end());
    }

    fn status(&mut self) -> Status<'_> {
        let (words, tint) = self.words();
        let size = self.player.terminal().size();
        Status {
            is_playing: self.replaying.is_playing(),
            at_us: self.replaying.at_us(),
            span: self.replaying.span(),
            speed: self.replaying.speed(),
            skips_idle: self.replaying.skips_idle(),
            cropped: self.stage.crops(size).then_some(size),
            signs: self.signs.all(),
            words,
            tint,
        }
    }

    /// What there is to be said, the most important thing first.
    fn words(&mut self) -> (String, Tint) {
        let pause = self.pause();
        if let Some(note) = &self.note {
            return (model::display_safe(note), Tint::Yellow);
        }
        if self.player.is_doubtful() {
            return ("output is missing: this may be wrong".to_owned(), Tint::Red);
        }
        if self.replaying.is_at_end() {
            return match &self.ending {
                Ending::Live { name } => (format!("the end so far; live: abide attach {name}"), Tint::Yellow),
                Ending::Exited(status) if status.is_success() => {
                    (format!("the end: {}", workers::ended(*status)), Tint::Green)
                }
                Ending::Exited(status) => (format!("the end: {}", workers::ended(*status)), Tint::Red),
                Ending::Lost => ("the end: its host was lost".to_owned(), Tint::Red),
            };
        }
        if self.replaying.shortens(pause) {
            let length_us = pause.to_us.unwrap_or(0).saturating_sub(pause.from_us);
            return (format!("a pause of {}, in 2 s", status::clock(length_us)), Tint::Faint);
        }
        let sign = match self.at_sign {
            Some(number) => self.signs.all().get(number),
            None => {
                let here = Moment { at: self.player.at(), time_us: self.replaying.at_us() };
                self.signs.last_before(here)
            }
        };
        sign.map_or((String::new(), Tint::Plain), |sign| (sign.words(), sign.tint()))
    }
}

/// Where the last output before an offset begins; nothing if there is none.
fn output_before(source: &impl Source, at: Offset) -> Option<Offset> {
    let segments = source.segments();
    let last = segments.iter().rposition(|segment| segment.head.at < at)?;
    (0..=last).rev().find_map(|index| {
        let outputs = source.blocks(index).filter(|block| matches!(block.kind, BlockKind::Output(_)));
        outputs.map(|block| block.at).take_while(|begins| *begins < at).last()
    })
}
