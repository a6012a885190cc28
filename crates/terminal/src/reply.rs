//! Answers to a program's questions.
//!
//! Every answer is made of fixed words and of numbers we counted ourselves. Nothing that output chose comes back:
//! no title, no clipboard, no name of an unknown capability. So no file that is shown can type into a shell.

use grammar::{Function, Terminator};

use crate::colors::{self, Rgb};
use crate::sgr;
use crate::state::{ALTERNATE, State};
use crate::style::Flags;

/// A VT220 with colours.
pub(crate) const PRIMARY_ATTRIBUTES: &str = "\x1b[?62;22c";
/// What xterm.js says; programs choose mouse and key protocols by it.
pub(crate) const SECONDARY_ATTRIBUTES: &str = "\x1b[>0;276;0c";
/// A unit without a serial number.
pub(crate) const TERTIARY_ATTRIBUTES: &str = "\x1bP!|00000000\x1b\\";

/// Pixels of a cell, for programs that count in them. No viewer's real font is known here.
pub(crate) const CELL_PIXELS: (usize, usize) = (10, 20);

/// Answers that the caller does not fetch are dropped beyond this. A program that asks without reading does not wait
/// for them.
const MAX_REPLIES: usize = 64 << 10;

/// Terminal capabilities (XTGETTCAP): names in hexadecimal, as they are asked for, and answers.
const CAPABILITIES: [(&str, &str); 4] = [
    // TN, Co, colors and RGB: the name, the number of colours, that there are true colours.
    ("544e", "544e=787465726d2d323536636f6c6f72"),
    ("436f", "436f=323536"),
    ("636f6c6f7273", "636f6c6f7273=323536"),
    ("524742", "524742=38"),
];

/// How DECRPM puts a mode.
#[derive(Clone, Copy)]
enum ModeReport {
    Unknown = 0,
    Set = 1,
    Reset = 2,
    AlwaysSet = 3,
    AlwaysReset = 4,
}

impl From<bool> for ModeReport {
    fn from(on: bool) -> ModeReport {
        if on { ModeReport::Set } else { ModeReport::Reset }
    }
}

impl State {
    pub(crate) fn reply(&mut self, text: &str) {
        if self.replies.len() + text.len() <= MAX_REPLIES {
            self.replies.extend_from_slice(text.as_bytes());
        }
    }

    /// The cursor's row and column as a program counts them.
    fn reported_position(&mut self) -> (usize, usize) {
        let (origin, cols) = (self.modes.origin, self.cols());
        let screen = self.screen();
        let top = if origin { screen.margins.top } else { 0 };
        (screen.cursor.row.saturating_sub(top) + 1, screen.cursor.col.min(cols - 1) + 1)
    }

    pub(crate) fn report_status(&mut self, what: u32) {
        match what {
            5 => self.reply("\x1b[0n"),
            6 => {
                let (row, col) = self.reported_position();
                self.reply(&format!("\x1b[{row};{col}R"));
            }
            _ => {}
        }
    }

    pub(crate) fn report_private_status(&mut self, what: u32) {
        match what {
            6 => {
                let (row, col) = self.reported_position();
                self.reply(&format!("\x1b[?{row};{col}R"));
            }
            // No printer, no locked keys, a North American keyboard, no locator.
            15 => self.reply("\x1b[?13n"),
            25 => self.reply("\x1b[?20n"),
            26 => self.reply("\x1b[?27;1;0;0n"),
            53 | 55 => self.reply("\x1b[?50n"),
            // The colour scheme: dark.
            996 => self.reply("\x1b[?997;1n"),
            _ => {}
        }
    }

    pub(crate) fn report_version(&mut self) {
        self.reply(concat!("\x1bP>|abide(", env!("CARGO_PKG_VERSION"), ")\x1b\\"));
    }

    pub(crate) fn report_keyboard(&mut self) {
        let flags = self.keyboards[self.active].flags() & 0x1f;
        self.reply(&format!("\x1b[?{flags}u"));
    }

    pub(crate) fn report_modify_other_keys(&mut self) {
        let level = self.modes.modify_other_keys.min(3);
        self.reply(&format!("\x1b[>4;{level}m"));
    }

    pub(crate) fn report_ansi_mode(&mut self, mode: u32) {
        let report = match mode {
            2 => ModeReport::AlwaysReset,
            4 => self.modes.insert.into(),
            12 => ModeReport::AlwaysSet,
            20 => self.modes.newline.into(),
            _ => ModeReport::Unknown,
        };
        self.reply(&format!("\x1b[{mode};{}$y", report as u8));
    }

    pub(crate) fn report_private_mode(&mut self, mode: u32) {
        let report = match mode {
            8 | 1048 => ModeReport::AlwaysSet,
            67 | 1005 | 1015 => ModeReport::AlwaysReset,
            47 | 1047 | 1049 => (self.active == ALTERNATE).into(),
            // Meaningful to viewers, kept for them.
            12 | 1007 | 1036 | 1039 | 2031 | 2048 => self.modes.private(mode).unwrap_or(false).into(),
            _ if self.modes.others.contains_key(&mode) => ModeReport::Unknown,
            _ => self.modes.private(mode).map_or(ModeReport::Unknown, ModeReport::from),
        };
        self.reply(&format!("\x1b[?{mode};{}$y", report as u8));
    }

    pub(crate) fn report_color(&mut self, number: &str, color: Rgb, end: Terminator) {
        let color = colors::long_form(color);
        self.reply(&format!("\x1b]{number};{color}{}", end.as_str()));
    }

    pub(crate) fn report_program_status(&mut self, end: Terminator) {
        self.reply(&format!("\x1b]7501;?{}", end.as_str()));
    }

    pub(crate) fn report_size_in_band(&mut self) {
        let (cols, rows) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        let (width, height) = CELL_PIXELS;
        self.reply(&format!("\x1b[48;{rows};{cols};{};{}t", rows * height, cols * width));
    }

    /// DECRQSS and XTGETTCAP.
    pub(crate) fn device_control_string(&mut self, function: Function, data: &[u8]) {
        match (function.intermediate, function.last) {
            (b'$', b'q') => self.report_setting(data),
            (b'+', b'q') => self.report_capabilities(data),
            _ => {}
        }
    }

    fn report_setting(&mut self, what: &[u8]) {
        let protected = u8::from(self.pen.flags.contains(Flags::PROTECTED));
        let cursor = match self.cursor_style.number() {
            n @ 1..=6 => n,
            _ => 2,
        };
        let margins = self.screen().margins;
        let setting = match what {
            b"m" => format!("{}m", sgr::numbers(&self.pen.style())),
            b"r" => format!("{};{}r", margins.top + 1, margins.bottom + 1),
            b" q" => format!("{cursor} q"),
            b"\"p" => "61;1\"p".to_owned(),
            b"\"q" => format!("{protected}\"q"),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(&format!("\x1bP1$r{setting}\x1b\\"));
    }

    fn report_capabilities(&mut self, names: &[u8]) {
        for name in names.split(|&byte| byte == b';') {
            let known = CAPABILITIES.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
            match known {
                Some((_, answer)) => self.reply(&format!("\x1bP1+r{answer}\x1b\\")),
                None => self.reply("\x1bP0+r\x1b\\"),
            }
        }
    }
}
