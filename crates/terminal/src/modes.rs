//! Switches that programs set and reset.

use std::collections::BTreeMap;

/// Which mouse events a program wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseTracking {
    /// None.
    #[default]
    Off,
    /// Presses, in the old X10 way (mode 9).
    X10,
    /// Presses and releases (mode 1000).
    Buttons,
    /// Also motion while a button is down (mode 1002).
    Drag,
    /// All motion (mode 1003).
    Any,
}

impl MouseTracking {
    pub(crate) fn mode(self) -> Option<u32> {
        match self {
            MouseTracking::Off => None,
            MouseTracking::X10 => Some(9),
            MouseTracking::Buttons => Some(1000),
            MouseTracking::Drag => Some(1002),
            MouseTracking::Any => Some(1003),
        }
    }
}

/// How mouse events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseEncoding {
    /// Three bytes.
    #[default]
    Bytes,
    /// Numbers, in cells (mode 1006).
    Sgr,
    /// Numbers, in pixels (mode 1016).
    SgrPixels,
}

impl MouseEncoding {
    pub(crate) fn mode(self) -> Option<u32> {
        match self {
            MouseEncoding::Bytes => None,
            MouseEncoding::Sgr => Some(1006),
            MouseEncoding::SgrPixels => Some(1016),
        }
    }
}

/// The modes whose meaning we know, and the others as we were told them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Cursor keys send application sequences (mode 1).
    pub application_cursor: bool,
    /// The keypad sends application sequences (`ESC =`, mode 66).
    pub application_keypad: bool,
    /// Pasted text comes in brackets (mode 2004).
    pub bracketed_paste: bool,
    /// Focus changes are reported (mode 1004).
    pub focus_events: bool,
    /// Printing inserts (IRM).
    pub insert: bool,
    /// A line feed also returns the carriage (LNM).
    pub newline: bool,
    /// Cursor addresses count from the scroll region (mode 6).
    pub origin: bool,
    /// Printing past the last column goes on in the next row (mode 7).
    pub autowrap: bool,
    /// Backspace goes back over a soft wrap (mode 45).
    pub reverse_wrap: bool,
    /// The program is in the middle of a frame (mode 2026).
    pub synchronized: bool,
    /// Widths go by grapheme cluster (mode 2027).
    pub grapheme_clusters: bool,
    /// The cursor is shown (mode 25).
    pub cursor_visible: bool,
    /// Which mouse events are wanted.
    pub mouse: MouseTracking,
    /// How they are written.
    pub mouse_encoding: MouseEncoding,
    /// The xterm `modifyOtherKeys` level.
    pub modify_other_keys: u32,
    /// Private modes that mean nothing to the screen: kept, so that a viewer that joins later is told them too.
    pub(crate) others: BTreeMap<u32, bool>,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes {
            application_cursor: false,
            application_keypad: false,
            bracketed_paste: false,
            focus_events: false,
            insert: false,
            newline: false,
            origin: false,
            autowrap: true,
            reverse_wrap: false,
            synchronized: false,
            grapheme_clusters: false,
            cursor_visible: true,
            mouse: MouseTracking::Off,
            mouse_encoding: MouseEncoding::Bytes,
            modify_other_keys: 0,
            others: BTreeMap::new(),
        }
    }
}

/// So many modes that mean nothing to us are remembered; a program that sets more is playing.
const MAX_OTHERS: usize = 64;

/// Modes that are not for a viewer's terminal: they turn it into another machine (2, 38), resize it (3), print (18,
/// 19), log to a file (46), wait for the mouse (1001) or forbid the alternate screen (1046).
const NEVER_KEPT: [u32; 8] = [2, 3, 18, 19, 38, 46, 1001, 1046];

impl Modes {
    /// Whether a private mode is set; `None` for one that was never mentioned.
    pub fn private(&self, mode: u32) -> Option<bool> {
        Some(match mode {
            1 => self.application_cursor,
            6 => self.origin,
            7 => self.autowrap,
            9 | 1000 | 1002 | 1003 => self.mouse.mode() == Some(mode),
            25 => self.cursor_visible,
            45 => self.reverse_wrap,
            66 => self.application_keypad,
            1004 => self.focus_events,
            1006 => self.mouse_encoding == MouseEncoding::Sgr,
            1016 => self.mouse_encoding == MouseEncoding::SgrPixels,
            2004 => self.bracketed_paste,
            2026 => self.synchronized,
            2027 => self.grapheme_clusters,
            _ => return self.others.get(&mode).copied(),
        })
    }

    pub(crate) fn keep(&mut self, mode: u32, on: bool) {
        if !NEVER_KEPT.contains(&mode) && (self.others.len() < MAX_OTHERS || self.others.contains_key(&mode))
        {
            self.others.insert(mode, on);
        }
    }

    /// What a soft reset (DECSTR) puts back: the modes of keyboard and screen, not those of the mouse.
    pub(crate) fn soft_reset(&mut self) {
        *self = Modes {
            newline: self.newline,
            mouse: self.mouse,
            mouse_encoding: self.mouse_encoding,
            modify_other_keys: self.modify_other_keys,
            grapheme_clusters: self.grapheme_clusters,
            others: std::mem::take(&mut self.others),
            ..Modes::default()
        };
    }

    /// What a full reset (RIS) puts back. As in the web viewer, a hidden cursor and the newline mode stay. Modes
    /// once mentioned are remembered as off, so that a viewer in which they are on is told.
    pub(crate) fn full_reset(&mut self) {
        let mut others = std::mem::take(&mut self.others);
        others.values_mut().for_each(|on| *on = false);
        *self =
            Modes { newline: self.newline, cursor_visible: self.cursor_visible, others, ..Modes::default() };
    }
}
