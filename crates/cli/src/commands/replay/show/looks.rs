//! The screen of a replay.

use outer::Scene;

use super::{Ending, Show};
use crate::commands::replay::help;
use crate::commands::replay::signs::SignKind;
use crate::commands::replay::status::{self, Status};
use crate::duration::clock;
use crate::table::Tint;
use crate::workers;

impl Show<'_> {
    /// Paints the present moment, for the outer terminal to take.
    pub(super) fn paint(&mut self) {
        let (cols, colours) = (self.stage.size().cols(), self.colours);
        let (status, typing_col) = match self.replaying.typed() {
            Some(typed) => {
                let (line, col) = status::prompt(typed, cols, colours);
                (line, Some(col))
            }
            None => (self.status().line(cols, colours), None),
        };
        let card = self.replaying.shows_help().then(help::card);
        let scene = Scene { model: self.reel.terminal(), status, typing_col, card };
        self.stage.paint(&scene, self.unshown.end());
    }

    fn status(&mut self) -> Status<'_> {
        let (words, tint) = self.words();
        let size = self.reel.terminal().size();
        Status {
            is_playing: self.replaying.is_playing(),
            at_us: self.replaying.at_us(),
            span: self.replaying.span(),
            speed: self.replaying.speed(),
            skips_idle: self.replaying.skips_idle(),
            cropped: self.stage.crops(size).then_some(size),
            signs: self.reel.signs(),
            words,
            tint,
        }
    }

    /// What there is to be said, the most important thing first. Behind a gap, that goes with everything.
    fn words(&mut self) -> (String, Tint) {
        if let Some(note) = &self.note {
            return (model::display_safe(note), Tint::Yellow);
        }
        let pause = self.reel.pause();
        let (words, tint) = if self.replaying.is_at_end() {
            self.ending.words()
        } else if self.replaying.shortens(pause) {
            let length_us = pause.to_us.unwrap_or(0).saturating_sub(pause.from_us);
            (format!("a pause of {}, in 2 s", clock(length_us)), Tint::Faint)
        } else {
            match self.reel.sign(self.replaying.at_us()) {
                Some(sign) if sign.kind == SignKind::Gap => return (sign.words(), sign.tint()),
                Some(sign) => (sign.words(), sign.tint()),
                None => (String::new(), Tint::Plain),
            }
        };
        if self.reel.is_doubtful() {
            return (format!("behind a gap: {words}"), Tint::Red);
        }
        (words, tint)
    }
}

impl Ending {
    fn words(&self) -> (String, Tint) {
        match self {
            Ending::Live { name } => (format!("so far; live: abide attach {name}"), Tint::Yellow),
            Ending::Exited(status) => {
                let tint = if status.is_success() { Tint::Green } else { Tint::Red };
                (format!("the end: {}", workers::ended(*status)), tint)
            }
            Ending::Lost => ("the end: its host was lost".to_owned(), Tint::Red),
        }
    }
}
