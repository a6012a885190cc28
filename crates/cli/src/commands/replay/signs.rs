//! The marks of a recording, as a person jumps to them and reads them.

use model::{ExitStatus, Offset, TermSize};
use playback::{Mark, MarkKind, Moment};

use super::replaying::Way;
use crate::table::Tint;
use crate::workers;

/// Bells that follow each other closer than this are one.
const BELLS_US: u64 = 1_000_000;

/// Something on the time line that is worth a jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    /// Where it is.
    pub(super) moment: Moment,
    /// What is there.
    pub(super) kind: SignKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SignKind {
    /// A command runs.
    Command {
        command: Option<String>,
        end: CommandEnd,
    },
    Resize(TermSize),
    /// Output is missing.
    Gap,
    Exit(ExitStatus),
    Notification(String),
    Bell,
}

/// What is known of a command's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandEnd {
    Unknown,
    Ended,
    Exited(i32),
}

impl Sign {
    /// What a person reads of it.
    pub(super) fn words(&self) -> String {
        let words = match &self.kind {
            SignKind::Command { command, end } => {
                let command =
                    command.as_ref().map_or("a command".to_owned(), |command| format!("$ {command}"));
                match end {
                    CommandEnd::Unknown => command,
                    CommandEnd::Ended => format!("{command} → ended"),
                    CommandEnd::Exited(code) => format!("{command} → exit {code}"),
                }
            }
            SignKind::Resize(size) => format!("resized to {}×{}", size.cols(), size.rows()),
            SignKind::Gap => "a gap: output is missing".to_owned(),
            SignKind::Exit(status) => workers::ended(*status),
            SignKind::Notification(text) => format!("“{text}”"),
            SignKind::Bell => "bell".to_owned(),
        };
        model::display_safe(&words)
    }

    pub(super) fn tint(&self) -> Tint {
        match &self.kind {
            SignKind::Command { end: CommandEnd::Exited(0), .. } => Tint::Green,
            SignKind::Command { end: CommandEnd::Exited(_), .. } | SignKind::Gap => Tint::Red,
            SignKind::Exit(status) if status.is_success() => Tint::Green,
            SignKind::Exit(_) => Tint::Red,
            SignKind::Notification(_) | SignKind::Bell => Tint::Yellow,
            SignKind::Command { .. } | SignKind::Resize(_) => Tint::Plain,
        }
    }

    /// Whether its offset says exactly where it is; else its time does, since nothing was printed.
    pub(super) fn is_in_output(&self) -> bool {
        matches!(self.kind, SignKind::Command { .. } | SignKind::Notification(_) | SignKind::Bell)
    }
}

/// All of them that are known, in order.
pub(super) struct Signs {
    all: Vec<Sign>,
    /// The size of the terminal behind them.
    size: TermSize,
}

impl Signs {
    /// None yet, of a terminal that had this size at the beginning.
    pub(super) fn new(size: TermSize) -> Signs {
        Signs { all: Vec::new(), size }
    }

    pub(super) fn all(&self) -> &[Sign] {
        &self.all
    }

    /// Takes in the next mark.
    pub(super) fn add(&mut self, mark: Mark) {
        let moment = Moment { at: mark.at, time_us: mark.time_us };
        let kind = match mark.kind {
            MarkKind::Prompt => return,
            MarkKind::CommandStarted { command } => {
                let command = command.filter(|command| !command.trim().is_empty());
                SignKind::Command { command, end: CommandEnd::Unknown }
            }
            MarkKind::CommandEnded { code } => return self.end_command(code),
            // A host that takes over says how large the terminal is, even if it was before.
            MarkKind::Resize(size) if size == self.size => return,
            MarkKind::Resize(size) => {
                self.size = size;
                SignKind::Resize(size)
            }
            MarkKind::Gap { .. } => SignKind::Gap,
            MarkKind::Exit(status) => SignKind::Exit(status),
            MarkKind::Notification(notification) => {
                let parts = [notification.title, notification.body];
                let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                SignKind::Notification(parts.join(": "))
            }
            MarkKind::Bell => {
                let rang = |sign: &Sign| {
                    sign.kind == SignKind::Bell && sign.moment.time_us + BELLS_US > moment.time_us
                };
                if self.all.last().is_some_and(rang) {
                    return;
                }
                SignKind::Bell
            }
        };
        self.all.push(Sign { moment, kind });
    }

    fn end_command(&mut self, code: Option<i32>) {
        let last = self.all.iter_mut().rev().find_map(|sign| match &mut sign.kind {
            SignKind::Command { end, .. } => Some(end),
            _ => None,
        });
        if let Some(end @ CommandEnd::Unknown) = last {
            *end = code.map_or(CommandEnd::Ended, CommandEnd::Exited);
        }
    }

    /// The number of the next one from a moment on, or of the one before it.
    pub(super) fn beside(&self, moment: Moment, way: Way) -> Option<usize> {
        match way {
            Way::Forward => {
                Some(self.count(|sign| order(sign.moment) <= order(moment))).filter(|n| *n < self.all.len())
            }
            Way::Back => self.count(|sign| order(sign.moment) < order(moment)).checked_sub(1),
        }
    }

    /// The last one at or before a moment.
    pub(super) fn last_before(&self, moment: Moment) -> Option<&Sign> {
        let past = self.count(|sign| order(sign.moment) <= order(moment));
        self.all[..past].last()
    }

    fn count(&self, is_past: impl FnMut(&Sign) -> bool) -> usize {
        self.all.partition_point(is_past)
    }
}

fn order(moment: Moment) -> (u64, Offset) {
    (moment.time_us, moment.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at: u64, time_us: u64) -> Moment {
        Moment { at: Offset(at), time_us }
    }

    fn signs(marks: &[(u64, u64, MarkKind)]) -> Signs {
        let mut signs = Signs::new(TermSize::clamped(80, 24));
        for (at, time_us, kind) in marks {
            signs.add(Mark { at: Offset(*at), time_us: *time_us, kind: kind.clone() });
        }
        signs
    }

    #[test]
    fn a_command_and_its_end_are_one_sign() {
        let command = Some("cargo test".to_owned());
        let signs = signs(&[
            (0, 0, MarkKind::Prompt),
            (5, 1, MarkKind::CommandStarted { command }),
            (9, 2, MarkKind::CommandEnded { code: Some(1) }),
            (9, 2, MarkKind::Prompt),
            (12, 3, MarkKind::CommandStarted { command: None }),
            (15, 4, MarkKind::CommandEnded { code: None }),
            (16, 5, MarkKind::CommandEnded { code: Some(3) }),
            (20, 6, MarkKind::Exit(ExitStatus::Exited { code: 2 })),
        ]);
        let words: Vec<String> = signs.all().iter().map(Sign::words).collect();
        assert_eq!(words, ["$ cargo test → exit 1", "a command → ended", "exited 2"]);
    }

    #[test]
    fn many_bells_in_a_second_are_one_sign() {
        let second = 1_000_000;
        let signs = signs(&[(1, 0, MarkKind::Bell), (2, 5, MarkKind::Bell), (3, 2 * second, MarkKind::Bell)]);
        assert_eq!(signs.all().len(), 2);
    }

    #[test]
    fn next_and_previous_sign_are_found_even_at_the_same_offset_or_time() {
        let (small, large) = (TermSize::clamped(10, 5), TermSize::clamped(90, 50));
        let signs = signs(&[
            (5, 10, MarkKind::Resize(small)),
            (5, 15, MarkKind::Resize(small)),
            (5, 20, MarkKind::Resize(large)),
            (9, 20, MarkKind::Bell),
            (9, 30, MarkKind::Exit(ExitStatus::Unknown)),
        ]);
        assert_eq!(signs.beside(moment(0, 0), Way::Forward), Some(0));
        assert_eq!(signs.beside(moment(0, 0), Way::Back), None);
        assert_eq!(signs.beside(moment(5, 10), Way::Forward), Some(1));
        assert_eq!(signs.beside(moment(5, 20), Way::Forward), Some(2));
        assert_eq!(signs.beside(moment(9, 20), Way::Back), Some(1));
        assert_eq!(signs.beside(moment(9, 30), Way::Forward), None);
        assert_eq!(signs.last_before(moment(7, 15)), Some(&signs.all()[0]));
    }
}
