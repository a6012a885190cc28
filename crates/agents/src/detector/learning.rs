//! A detector learns what it did not hear itself.

use std::time::Duration;

use protocol::{ProgramReport, SignalMessage};

use super::Detector;
use crate::agent::Agent;
use crate::evidence::Evidence;
use crate::heard::Heard;
use crate::rule::PromptMarks;

impl Detector {
    /// Goes on with what a host reports, after signals may have been missed. What the report does not speak of stays as
    /// it was: what hooks told, and what the screen showed.
    pub fn learn(&mut self, at: Duration, report: &ProgramReport) {
        self.at(at);
        if self.listens_to(Evidence::ProgramStatus) {
            self.records.clear();
            if let Some(status) = &report.activity {
                self.records.update("", status);
            }
        }
        if self.listens_to(Evidence::Title) && !report.title.is_empty() {
            self.take_title(&report.title);
        }
        self.progress = false;
        for signal in &report.signals {
            match signal {
                SignalMessage::Status { id, status } if self.listens_to(Evidence::ProgramStatus) => {
                    self.records.update(id, status);
                }
                signal => match Heard::of_message(signal) {
                    Some(Heard::Progress(works)) if self.listens_to(Evidence::Progress) => {
                        self.progress = works;
                    }
                    Some(Heard::Mark(mark)) if self.believes_marks() => self.mark = Some(mark),
                    _ => {}
                },
            }
        }
        self.decide();
    }

    /// Takes the worker for this agent from now on.
    pub fn recognize(&mut self, agent: &Agent) {
        self.signs = agent.signs.clone();
        self.title = None;
        if !self.believes_marks() {
            self.mark = None;
        }
        self.looking.is_due = true;
        self.decide();
    }

    /// Notes that the program has printed nothing for so long.
    pub fn quiet(&mut self, at: Duration, quiet: Duration) {
        self.at(at);
        self.looking.last_print = at.saturating_sub(quiet);
    }

    fn believes_marks(&self) -> bool {
        self.signs.prompt_marks == PromptMarks::Believed && self.listens_to(Evidence::PromptMark)
    }
}
