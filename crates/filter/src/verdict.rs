//! What the filter does with a whole sequence.

use crate::{csi, esc};

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// From the child.
    Live,
    /// From the host, which draws on the outer terminal's alternate screen and so has to change to it.
    Snapshot,
    /// From either, for an emulator that shows nothing else: screens and scrollback are the child's.
    ForEmulator,
}

/// What the filter does with a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is shown as it is.
    Pass,
    /// Nothing of it is shown.
    Drop,
    /// These bytes are shown in its place.
    Replace(Vec<u8>),
    /// Nothing of it is shown, and the screen must be drawn anew.
    Redraw,
}

impl Verdict {
    pub(crate) fn pass_if(harmless: bool) -> Verdict {
        if harmless { Verdict::Pass } else { Verdict::Drop }
    }
}

/// Judges a control or escape sequence, which begins with ESC and has nothing in it that does not belong to it.
pub(crate) fn judge(sequence: &[u8], source: Source) -> Verdict {
    let verdict = match sequence {
        [_, b'[', body @ ..] => csi::judge(body, source),
        [_, body @ ..] => esc::judge(body),
        [] => Verdict::Drop,
    };
    match verdict {
        Verdict::Redraw if source != Source::Live => Verdict::Pass,
        verdict => verdict,
    }
}
