//! The pure core: keys and time in, effects out.

use std::time::{Duration, Instant};

use super::keys::Key;

/// What the arrow keys and those for pages go back and forth by.
const NEAR_US: u64 = 5_000_000;
const FAR_US: u64 = 60_000_000;

/// A longer pause takes only so long, while idle time is skipped.
pub(super) const IDLE_US: u64 = 2_000_000;

/// The speeds that keys choose from.
const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Who was held up for longer (stopped, or by a slow terminal) does not rush after the time that was lost.
const MOST_BEHIND: Duration = Duration::from_millis(500);

/// The time that a recording is about, in microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start_us: u64,
    pub(super) end_us: u64,
}

/// Back or forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Forward,
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Beginning,
    /// A time within the span.
    Time(u64),
    End,
}

/// What a key asks for. The caller carries it out, and reports where that led with [`Replaying::arrived`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Go(Place),
    /// One output forward or back.
    Step(Way),
    /// To the next mark, or the one before.
    GoToMark(Way),
    /// To the next moment at which this pattern appears, or the one before.
    Find {
        pattern: String,
        way: Way,
    },
    Quit,
}

/// The time between what happened last and what happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) from_us: u64,
    /// Nothing if nothing more happens.
    pub(super) to_us: Option<u64>,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The next event, now.
    Event,
    /// Nothing before then.
    At(Instant),
    /// Nothing until a key is pressed.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Play {
    Paused,
    /// The position is that of this instant.
    Playing {
        now: Instant,
    },
}

/// Where a replay is, how fast it goes, and what its keys do.
pub(super) struct Replaying {
    span: Span,
    at_us: u64,
    is_at_end: bool,
    speed: f64,
    play: Play,
    skips_idle: bool,
    /// What is being typed to be found.
    typed: Option<String>,
    /// The last search.
    pattern: Option<String>,
    shows_help: bool,
}

impl Replaying {
    /// Paused at the beginning.
    pub(super) fn new(span: Span, speed: f64) -> Replaying {
        Replaying {
            span,
            at_us: span.start_us,
            is_at_end: false,
            speed,
            play: Play::Paused,
            skips_idle: true,
            typed: None,
            pattern: None,
            shows_help: false,
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// The position on the time line.
    pub(super) fn at_us(&self) -> u64 {
        self.at_us
    }

    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    pub(super) fn is_playing(&self) -> bool {
        self.play != Play::Paused
    }

    /// Whether nothing happens any more.
    pub(super) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    pub(super) fn skips_idle(&self) -> bool {
        self.skips_idle
    }

    /// What is being typed to be found.
    pub(super) fn typed(&self) -> Option<&str> {
        self.typed.as_deref()
    }

    pub(super) fn shows_help(&self) -> bool {
        self.shows_help
    }

    /// Whether this pause is being shortened.
    pub(super) fn shortens(&self, pause: Pause) -> bool {
        self.is_playing()
            && self.skips_idle
            && pause.to_us.is_some_and(|to| to.saturating_sub(pause.from_us) > IDLE_US)
    }

    /// Goes on from here.
    pub(super) fn play(&mut self, now: Instant) {
        if !self.is_at_end {
            self.play = Play::Playing { now };
        }
    }

    /// The position is another one now, and maybe the last.
    pub(super) fn arrived(&mut self, at_us: u64, is_at_end: bool, now: Instant) {
        self.at_us = at_us.clamp(self.span.start_us, self.span.end_us);
        self.is_at_end = is_at_end;
        self.play = match self.play {
            Play::Playing { .. } if !is_at_end => Play::Playing { now },
            _ => Play::Paused,
        };
    }

    /// Lets time go on up to now, but not beyond the next event, and says what is due. After an event, it is asked again.
    pub(super) fn tick(&mut self, now: Instant, pause: Pause) -> Due {
        let Play::Playing { now: then } = self.play else { return Due::Nothing };
        let Some(to_us) = pause.to_us else {
            (self.at_us, self.is_at_end, self.play) = (self.span.end_us, true, Play::Paused);
            return Due::Nothing;
        };
        let then = then.max(now.checked_sub(MOST_BEHIND).unwrap_or(then));
        let rate = self.rate(pause);
        let left = Duration::from_secs_f64(to_us.saturating_sub(self.at_us) as f64 / 1e6 / rate);
        let passed = now.saturating_duration_since(then);
        if passed >= left {
            self.at_us = self.at_us.max(to_us);
            self.play = Play::Playing { now: then + left };
            return Due::Event;
        }
        self.at_us += (passed.as_secs_f64() * rate * 1e6) as u64;
        self.play = Play::Playing { now };
        Due::At(now + (left - passed))
    }

    /// How much faster than the clock time passes in a pause: a long one takes as long as the longest that is played.
    fn rate(&self, pause: Pause) -> f64 {
        let length_us = pause.to_us.map_or(0, |to| to.saturating_sub(pause.from_us));
        let shortened = if self.skips_idle { length_us as f64 / IDLE_US as f64 } else { 1.0 };
        self.speed * shortened.max(1.0)
    }

    /// Takes in a key.
    pub(super) fn press(&mut self, key: Key, now: Instant) -> Option<Effect> {
        if key == Key::Control('c') {
            return Some(Effect::Quit);
        }
        if self.typed.is_some() {
            return self.press_in_prompt(key);
        }
        if self.shows_help {
            self.shows_help = false;
            if matches!(key, Key::Escape | Key::Char('?' | 'q')) {
                return None;
            }
        }
        match key {
            Key::Char('q') | Key::Escape => return Some(Effect::Quit),
            Key::Char(' ') => return self.press_space(now),
            Key::Left => return Some(self.by(Way::Back, NEAR_US)),
            Key::Right => return Some(self.by(Way::Forward, NEAR_US)),
            Key::FarLeft | Key::PageUp => return Some(self.by(Way::Back, FAR_US)),
            Key::FarRight | Key::PageDown => return Some(self.by(Way::Forward, FAR_US)),
            Key::Home | Key::Char('g') => return Some(Effect::Go(Place::Beginning)),
            Key::End | Key::Char('G') => return Some(Effect::Go(Place::End)),
            Key::Char(digit @ '0'..='9') => return Some(self.tenth(u64::from(digit) - u64::from('0'))),
            Key::Char(',') => return self.step(Way::Back),
            Key::Char('.') => return self.step(Way::Forward),
            Key::Char('[') => return Some(Effect::GoToMark(Way::Back)),
            Key::Char(']') => return Some(Effect::GoToMark(Way::Forward)),
            Key::Char('n') => return self.find(Way::Forward),
            Key::Char('N') => return self.find(Way::Back),
            Key::Char('<' | '-') => {
                self.speed = SPEEDS.into_iter().rev().find(|speed| *speed < self.speed).unwrap_or(self.speed);
            }
            Key::Char('>' | '+' | '=') => {
                self.speed = SPEEDS.into_iter().find(|speed| *speed > self.speed).unwrap_or(self.speed);
            }
            Key::Char('i') => self.skips_idle = !self.skips_idle,
            Key::Char('/') => self.typed = Some(String::new()),
            Key::Char('?') => self.shows_help = true,
            _ => {}
        }
        None
    }

    fn press_in_prompt(&mut self, key: Key) -> Option<Effect> {
        let mut typed = self.typed.take()?;
        match key {
            Key::Enter => {
                if !typed.is_empty() {
                    self.pattern = Some(typed);
                }
                return self.find(Way::Forward);
            }
            Key::Escape => return None,
            // As in other programs: beyond the beginning of the line, there is no line.
            Key::Backspace => {
                typed.pop()?;
            }
            Key::Control('u') => typed.clear(),
            Key::Char(c) => typed.push(c),
            _ => {}
        }
        self.typed = Some(typed);
        None
    }

    fn press_space(&mut self, now: Instant) -> Option<Effect> {
        if self.is_playing() {
            self.play = Play::Paused;
            return None;
        }
        if self.is_at_end {
            // Once more from the beginning: what plays is told where that is.
            self.play = Play::Playing { now };
            return Some(Effect::Go(Place::Beginning));
        }
        self.play(now);
        None
    }

    fn by(&self, way: Way, us: u64) -> Effect {
        let Span { start_us, end_us } = self.span;
        Effect::Go(match way {
            Way::Back if self.at_us.saturating_sub(us) <= start_us => Place::Beginning,
            Way::Back => Place::Time(self.at_us - us),
            Way::Forward if self.at_us.saturating_add(us) >= end_us => Place::End,
            Way::Forward => Place::Time(self.at_us + us),
        })
    }

    fn tenth(&self, tenths: u64) -> Effect {
        let Span { start_us, end_us } = self.span;
        Effect::Go(match tenths {
            0 => Place::Beginning,
            tenths => Place::Time(start_us + (end_us - start_us) / 10 * tenths),
        })
    }

    /// Steps are for who stands still.
    fn step(&mut self, way: Way) -> Option<Effect> {
        self.play = Play::Paused;
        Some(Effect::Step(way))
    }

    fn find(&self, way: Way) -> Option<Effect> {
        self.pattern.clone().map(|pattern| Effect::Find { pattern, way })
    }
}

#[cfg(test)]
mod tests;
