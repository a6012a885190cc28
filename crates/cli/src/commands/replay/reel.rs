//! The recording, wound to the present moment.

use model::Offset;
use playback::{EventKind, Mark, MaskedRecording, Moment, Player, Source};
use recording::BlockKind;
use terminal::Terminal;

use super::replaying::{Pause, Place, Way};
use super::signs::{Sign, Signs};

/// A recording with its marks, and the moment that is shown of it. Times are in microseconds since the Unix epoch.
pub(super) struct Reel {
    player: Player<MaskedRecording>,
    signs: Signs,
    /// The mark that was jumped to, as long as nothing else has happened.
    at_sign: Option<usize>,
}

impl Reel {
    /// A recording whose player stands at its beginning.
    pub(super) fn new(player: Player<MaskedRecording>) -> Reel {
        let signs = Signs::new(player.terminal().size());
        Reel { player, signs, at_sign: None }
    }

    /// The terminal at the present moment.
    pub(super) fn terminal(&self) -> &Terminal {
        self.player.terminal()
    }

    /// The moment of the last event.
    pub(super) fn moment(&self) -> Moment {
        self.player.moment()
    }

    /// Whether output is missing, so that the screen may be wrong.
    pub(super) fn is_doubtful(&self) -> bool {
        self.player.is_doubtful()
    }

    /// Whether nothing happens any more.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.player.next_time_us().is_none()
    }

    /// The time between the last event and the next one.
    pub(super) fn pause(&mut self) -> Pause {
        Pause { from_us: self.player.time_us(), to_us: self.player.next_time_us() }
    }

    /// Takes in the next mark.
    pub(super) fn add_mark(&mut self, mark: Mark) {
        self.signs.add(mark);
    }

    /// All marks that are known.
    pub(super) fn signs(&self) -> &[Sign] {
        self.signs.all()
    }

    /// The mark that was jumped to, or the last one before a time.
    pub(super) fn sign(&self, at_us: u64) -> Option<&Sign> {
        match self.at_sign {
            Some(number) => self.signs.all().get(number),
            None => self.signs.last_before(Moment { at: self.player.at(), time_us: at_us }),
        }
    }

    /// Plays the next event.
    pub(super) fn play_next(&mut self) {
        self.at_sign = None;
        self.player.step();
    }

    /// Goes to a place; says which time that is.
    pub(super) fn go(&mut self, place: Place) -> u64 {
        self.at_sign = None;
        match place {
            Place::Beginning => {
                self.player.go_to_beginning();
                self.player.time_us()
            }
            Place::Time(time_us) => {
                self.player.seek_to_time(time_us);
                time_us
            }
            Place::End => self.player.seek_to_time(u64::MAX).time_us,
        }
    }

    /// Goes to a moment that was found; says which time that is.
    pub(super) fn go_to(&mut self, moment: Moment) -> u64 {
        self.at_sign = None;
        self.player.seek_to_offset(moment.at);
        moment.time_us
    }

    /// Plays one event of which something can be seen, or goes to where the last output began; says which time that is.
    pub(super) fn step(&mut self, way: Way) -> u64 {
        self.at_sign = None;
        match way {
            Way::Forward => {
                while self.player.step().is_some_and(|event| matches!(event.kind, EventKind::Epoch(_))) {}
            }
            Way::Back => match output_before(self.player.source(), self.player.at()) {
                Some(at) => {
                    self.player.seek_to_offset(at);
                }
                None => self.player.go_to_beginning(),
            },
        }
        self.player.time_us()
    }

    /// Goes to the mark beside a time; says which time that is, or nothing if there is no mark.
    pub(super) fn go_to_sign(&mut self, at_us: u64, way: Way) -> Option<u64> {
        let number = match (self.at_sign, way) {
            (Some(here), Way::Forward) => Some(here + 1).filter(|next| *next < self.signs.all().len()),
            (Some(here), Way::Back) => here.checked_sub(1),
            (None, way) => self.signs.beside(Moment { at: self.player.at(), time_us: at_us }, way),
        }?;
        let sign = &self.signs.all()[number];
        let moment = sign.moment;
        if sign.is_in_output() {
            self.player.seek_to_offset(moment.at);
        } else {
            self.player.seek_to_time(moment.time_us);
        }
        self.at_sign = Some(number);
        Some(moment.time_us)
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
