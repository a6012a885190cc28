//! The host's deadlines, and one timer for all of them.

use std::io;
use std::time::Instant;

use crate::host::Host;

impl Host {
    /// Sets the timer to what is due next. While nothing is, there is none.
    pub(crate) fn arm_timer(&mut self) -> io::Result<()> {
        let due = self.dates().into_iter().flatten().min();
        if due == self.timer_at {
            return Ok(());
        }
        self.timer_at = due;
        self.timer.set(due)
    }

    /// Everything that has a date.
    pub(crate) fn dates(&self) -> [Option<Instant>; 6] {
        [
            self.ending_due(),
            self.model_due(),
            self.recorder_due(),
            self.viewer_due(),
            self.upgrade_due(),
            self.leaving_due(),
        ]
    }

    pub(crate) fn keep_dates(&mut self) -> io::Result<()> {
        self.timer.clear();
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
            self.give_up_upgrade("the terminal keeps printing")?;
        }
        if leaving {
            self.hurry()?;
        }
        Ok(())
    }
}
