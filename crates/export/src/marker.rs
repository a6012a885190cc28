//! Moments that people jump to.

use model::display_safe;
use playback::MarkKind;

/// A moment that people jump to, and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) kind: MarkerKind,
    /// Safe to be shown.
    pub(crate) label: String,
}

/// What a marker stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkerKind {
    /// A command began.
    Command,
    /// A command failed.
    Failure,
    /// The terminal got another size.
    Resize,
    /// Output is missing.
    Gap,
    /// The child ended.
    Exit,
}

impl MarkerKind {
    /// Its name in pages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MarkerKind::Command => "command",
            MarkerKind::Failure => "failure",
            MarkerKind::Resize => "resize",
            MarkerKind::Gap => "gap",
            MarkerKind::Exit => "exit",
        }
    }
}

impl Marker {
    /// What is shown for a mark; nothing for those that would only clutter a time line.
    pub(crate) fn of(mark: &MarkKind) -> Option<Marker> {
        let (kind, label) = match mark {
            MarkKind::CommandStarted { command } => {
                let label = command.as_deref().map_or_else(|| "command".to_owned(), display_safe);
                (MarkerKind::Command, label)
            }
            MarkKind::CommandEnded { code: Some(code) } if *code != 0 => {
                (MarkerKind::Failure, format!("exited {code}"))
            }
            MarkKind::Gap { .. } => (MarkerKind::Gap, "output is missing".to_owned()),
            MarkKind::Prompt
            | MarkKind::CommandEnded { .. }
            | MarkKind::Notification(_)
            | MarkKind::Bell
            // These are events of their own.
            | MarkKind::Resize(_)
            | MarkKind::Exit(_) => return None,
        };
        Some(Marker { kind, label })
    }
}
