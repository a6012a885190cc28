//! Setting and resetting modes: `CSI … h` and `CSI … l`.

use crate::csi::{Csi, number};
use crate::verdict::{Source, Verdict};

/// Which list of modes a number belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ansi,
    Private,
}

/// The private modes that change to another screen, or save and restore the cursor with that.
const SCREENS: [u32; 4] = [47, 1047, 1048, 1049];

/// The private modes that are not for an outer terminal: its size (3, 40, 95, 98), printing (18, 19), another machine
/// (38), a log file (46), margins that the model does not have (69), waiting for the mouse (1001), forbidding the
/// alternate screen (1046), reports of its size (2048).
const FORBIDDEN: [u32; 12] = [3, 18, 19, 38, 40, 46, 69, 95, 98, 1001, 1046, 2048];

/// The private modes by which a terminal sends other bytes for keys and pastes, and which a terminal that we leave cannot be
/// taken out of, because its default is not known: backspace (67), Meta, Alt and the number lock (1034 to 1037, 1039),
/// function keys (1050 to 1053, 1060, 1061), pastes as events (5522), keys, the mouse wheel and the focus in the manner of
/// mintty (7727 to 7787), and keys in the manner of the Windows console (9001). The host knows none of these and would send
/// the child what it does not understand.
const KEYS: [u32; 24] = [
    67, 1034, 1035, 1036, 1037, 1039, 1050, 1051, 1052, 1053, 1060, 1061, 5522, 7727, 7728, 7765, 7766, 7767,
    7783, 7784, 7785, 7786, 7787, 9001,
];

/// The ANSI modes that pass: inserting, and a line feed that returns. Others lock the keyboard or echo it.
const ANSI: [u32; 2] = [4, 20];

/// Some terminals count in sixteen bits, where a larger number stands for a smaller one.
const LARGEST: u32 = 65_535;

/// Judges a list of modes: those that may not pass are taken out of it.
pub(crate) fn judge(csi: &Csi<'_>, kind: Kind, source: Source) -> Verdict {
    let on = csi.last == b'h';
    if kind == Kind::Private
        && source == Source::Live
        && csi.items().any(|item| SCREENS.contains(&number(item)))
    {
        return Verdict::Redraw;
    }
    // A sub-number has no meaning here, and terminals differ in what they make of one.
    if csi.items().all(|item| may_pass(kind, number(item), on) && !item.contains(&b':')) {
        return Verdict::Pass;
    }
    let passing: Vec<String> = csi
        .items()
        .map(number)
        .filter(|&mode| may_pass(kind, mode, on))
        .map(|mode| mode.to_string())
        .collect();
    if passing.is_empty() {
        return Verdict::Drop;
    }
    let prefix = if kind == Kind::Private { "?" } else { "" };
    Verdict::Replace(format!("\x1b[{prefix}{}{}", passing.join(";"), char::from(csi.last)).into_bytes())
}

/// Whether a sequence turns bracketed paste (2004) on or off, if it does either.
pub(crate) fn bracketed_paste(sequence: &[u8]) -> Option<bool> {
    if sequence == b"\x1bc" {
        return Some(false);
    }
    let body = sequence.strip_prefix(b"\x1b[?")?;
    let (last, numbers) = body.split_last()?;
    let names_it = || numbers.split(|&byte| byte == b';').any(|item| number(item) == 2004);
    match last {
        b'h' if names_it() => Some(true),
        b'l' if names_it() => Some(false),
        _ => None,
    }
}

fn may_pass(kind: Kind, mode: u32, on: bool) -> bool {
    match (kind, mode) {
        (Kind::Ansi, mode) => ANSI.contains(&mode),
        // Reset, it makes a terminal a VT52, with another grammar.
        (Kind::Private, 2) => on,
        (Kind::Private, mode) => mode <= LARGEST && !FORBIDDEN.contains(&mode) && !KEYS.contains(&mode),
    }
}
