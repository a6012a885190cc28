//! Everything of a snapshot that is not rows.

use super::paint::Painter;
use super::row::{PaintRow, PaintText};
use crate::colors;
use crate::keyboard::KeyboardStack;
use crate::screen::{Margins, Position, Screen};
use crate::signal::Progress;
use crate::state::{ALTERNATE, MAIN};
use crate::style::{LinkId, Style, Underline};
use crate::titles;

impl Painter<'_> {
    /// Brings a person's terminal into a plain state without resetting it, on an empty alternate screen.
    pub(super) fn neutral(&mut self) {
        self.raw("\x1b[?2026h\x1b[?1049h\x1b[?2027l");
        self.raw("\x1b(B\x1b)B\x1b*B\x1b+B\x0f");
        self.raw("\x1b]8;;\x1b\\\x1b[m\x1b[\"q\x1b[4l\x1b[20l\x1b[?6l\x1b[?7h\x1b[?45l\x1b[r\x1b[2J\x1b[H");
    }

    /// The stacks, in place of those of the viewer.
    pub(super) fn title_stacks(&mut self) {
        let titles = &self.state.titles;
        for _ in 0..titles::MAX_DEPTH {
            self.raw("\x1b[23t");
        }
        for title in &titles.window_stack {
            self.format(format_args!("\x1b]2;{title}\x1b\\\x1b[22;2t"));
        }
        for name in &titles.icon_stack {
            self.format(format_args!("\x1b]1;{name}\x1b\\\x1b[22;1t"));
        }
    }

    pub(super) fn title(&mut self) {
        let state = self.state;
        let (window, icon) = (&state.titles.window, &state.titles.icon);
        if state.titles.touched && window.is_empty() {
            // That there was a title once is part of the state.
            self.raw("\x1b]2;.\x1b\\");
        }
        if window == icon {
            self.format(format_args!("\x1b]0;{window}\x1b\\"));
        } else {
            self.format(format_args!("\x1b]1;{icon}\x1b\\\x1b]2;{window}\x1b\\"));
        }
        if !state.cwd.is_empty() {
            self.format(format_args!("\x1b]7;{}\x1b\\", state.cwd));
        }
    }

    /// The progress a program reports; with `also_none`, that it reports none.
    pub(super) fn report_progress(&mut self, also_none: bool) {
        match self.state.progress {
            Progress::None if also_none => self.raw("\x1b]9;4;0\x1b\\"),
            Progress::None => {}
            Progress::Normal(percent) => self.format(format_args!("\x1b]9;4;1;{percent}\x1b\\")),
            Progress::Error(percent) => self.format(format_args!("\x1b]9;4;2;{percent}\x1b\\")),
            Progress::Busy => self.raw("\x1b]9;4;3\x1b\\"),
            Progress::Paused(percent) => self.format(format_args!("\x1b]9;4;4;{percent}\x1b\\")),
        }
    }

    pub(super) fn colors(&mut self) {
        if self.state.palette.touched {
            // That a colour was changed once is part of the state.
            self.raw("\x1b]4;0;#000\x1b\\");
        }
        self.raw("\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\");
        for (index, color) in self.state.palette.changed() {
            self.format(format_args!("\x1b]4;{index};{}\x1b\\", colors::long_form(color)));
        }
        for (which, color) in self.state.palette.changed_own() {
            self.format(format_args!("\x1b]{};{}\x1b\\", which.osc(), colors::long_form(color)));
        }
    }

    /// The newest report of each part of the program.
    pub(super) fn program_statuses(&mut self) {
        for status in self.state.statuses.all() {
            self.format(format_args!("\x1b]7501;{}\x1b\\", status.report()));
        }
    }

    /// Tab stops and margins, which each screen has of its own.
    pub(super) fn screen_settings(&mut self, screen: &Screen, both_ways: bool) {
        if both_ways || screen.has_unusual_tabs() {
            self.raw("\x1b[3g");
            for stop in screen.tabs() {
                self.format(format_args!("\x1b[{}G\x1bH", stop + 1));
            }
        }
        let Margins { top, bottom } = screen.margins;
        if screen.margins != Margins::whole(screen.height()) {
            self.format(format_args!("\x1b[{};{}r", top + 1, bottom + 1));
        }
    }

    pub(super) fn keyboard(&mut self, stack: &KeyboardStack) {
        let (lowest, pushed) = stack.levels().split_at(1);
        if lowest != [0] {
            self.format(format_args!("\x1b[={}u", lowest[0]));
        }
        for flags in pushed {
            self.format(format_args!("\x1b[>{flags}u"));
        }
    }

    /// Character sets, cursor, modes and pen. With `both_ways`, what is off is said too.
    pub(super) fn end(&mut self, both_ways: bool) {
        let state = self.state;
        if state.modes.origin {
            self.raw("\x1b[?6h");
        }
        // What is printed for a pending wrap is printed in ASCII. Only a set that restoring the cursor brings back
        // comes first, since that moves the cursor.
        if state.charsets.strayed() {
            self.charsets(both_ways);
            self.cursor(both_ways);
        } else {
            self.cursor(both_ways);
            self.charsets(both_ways);
        }
        self.modes(both_ways);
        if both_ways {
            let flags = state.keyboards[state.active].flags();
            self.format(format_args!("\x1b[={flags}u"));
        }
        self.pen();
        self.last_character();
    }

    pub(super) fn go_to(&mut self, cursor: Position) {
        self.format(format_args!("\x1b[{};{}H", cursor.row + 1, cursor.col + 1));
    }

    fn charsets(&mut self, on_alternate: bool) {
        let charsets = &self.state.charsets;
        let saved = &self.state.screens[self.state.active].saved;
        let strayed = charsets.strayed();
        let hidden = &self.state.screens[ALTERNATE].saved;
        let restore = if saved.charset == charsets.active {
            Some("\x1b8\x1b[m")
        } else if self.state.active == MAIN && !on_alternate && hidden.charset == charsets.active {
            Some("\x1b[?47h\x1b8\x1b[m\x1b[?47l")
        } else {
            None
        };
        for (level, slot) in ['(', ')', '*', '+'].into_iter().enumerate() {
            let mut charset = charsets.designated[level];
            if strayed && restore.is_none() && level == charsets.level {
                charset = charsets.active;
            }
            if charset.final_byte() != b'B' {
                self.format(format_args!("\x1b{slot}{}", char::from(charset.final_byte())));
            }
        }
        match charsets.level {
            1 => self.raw("\x0e"),
            2 => self.raw("\x1bn"),
            3 => self.raw("\x1bo"),
            _ => {}
        }
        if let Some(restore) = restore.filter(|_| strayed) {
            // Restoring the cursor brought this set back, and so it does in the viewer.
            self.plain_style();
            self.raw(restore);
        }
    }

    fn cursor(&mut self, on_alternate: bool) {
        let state = self.state;
        let screen = &state.screens[state.active];
        let cursor = screen.cursor;
        if cursor.col < self.cols {
            return self.place_cursor(cursor.col, on_alternate);
        }
        // A wrap is pending after the last column was printed on: printed on again.
        let row = PaintRow::live(&screen.rows[cursor.row], &state.tables);
        let mut col = self.cols - 1;
        if matches!(row.cell(col).text, PaintText::Continuation) {
            col -= 1;
        }
        self.place_cursor(col, on_alternate);
        let mut cell = row.cell(col);
        if let PaintText::Char(c) = cell.text
            && state.charsets.strayed()
        {
            // A set without the character cannot print it again; then the wrap is not pending.
            let Some(source) = state.charsets.active.source_of(c) else { return };
            cell.text = PaintText::Char(source);
        }
        self.print(&cell);
    }

    /// Goes to a column in the cursor's row.
    fn place_cursor(&mut self, col: usize, on_alternate: bool) {
        let state = self.state;
        let screen = &state.screens[state.active];
        let (row, Margins { top, bottom }) = (screen.cursor.row, screen.margins);
        if !state.modes.origin {
            return self.format(format_args!("\x1b[{};{}H", row + 1, col + 1));
        }
        if (top..=bottom).contains(&row) || state.active == ALTERNATE || on_alternate {
            return self.format(format_args!("\x1b[{};{}H", row.saturating_sub(top) + 1, col + 1));
        }
        // No address leads out of the scroll region, but coming back from the other screen does, which has its own.
        self.format(format_args!("\x1b[?47h\x1b[{};{}H\x1b[?47l", row + 1, col + 1));
    }

    fn modes(&mut self, both_ways: bool) {
        let state = self.state;
        let modes = &state.modes;
        if both_ways {
            self.raw("\x1b[?9;1000;1002;1003;1005;1006;1015;1016l\x1b[?2031;2048l");
        }
        let switches = [
            (1, modes.application_cursor, false),
            (7, modes.autowrap, true),
            (45, modes.reverse_wrap, false),
            (1004, modes.focus_events, false),
            (2004, modes.bracketed_paste, false),
        ];
        for (mode, on, usual) in switches {
            if on != usual || both_ways {
                self.private_mode(mode, on);
            }
        }
        if modes.application_keypad || both_ways {
            self.raw(if modes.application_keypad { "\x1b=" } else { "\x1b>" });
        }
        for (&mode, &on) in &modes.others {
            // A real terminal reports its size as soon as this one is set; the host reports ours.
            let speaks_up = both_ways && mode == 2048;
            self.private_mode(mode, on && !speaks_up);
        }
        if let Some(mode) = modes.mouse.mode() {
            self.private_mode(mode, true);
        }
        // After the modes kept, since pixels may be among them without being in force.
        match modes.mouse_encoding.mode() {
            Some(mode) => self.private_mode(mode, true),
            None if modes.others.contains_key(&1016) => self.private_mode(1006, false),
            None => {}
        }
        self.set_clusters(modes.grapheme_clusters);
        // A reset leaves these two as they are in the web viewer.
        self.private_mode(25, modes.cursor_visible);
        self.raw(if modes.newline { "\x1b[20h" } else { "\x1b[20l" });
        if modes.insert {
            self.raw("\x1b[4h");
        }
        if modes.modify_other_keys != 0 || both_ways {
            self.format(format_args!("\x1b[>4;{}m", modes.modify_other_keys));
        }
        let style = state.cursor_style.number();
        if style > 6 && both_ways {
            // Such a number says nothing about the shape.
            self.raw("\x1b[0 q");
        }
        if style != 0 || both_ways {
            self.format(format_args!("\x1b[{style} q"));
        }
        if modes.synchronized || both_ways {
            self.private_mode(2026, modes.synchronized);
        }
    }

    fn private_mode(&mut self, mode: u32, on: bool) {
        self.format(format_args!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }));
    }

    fn pen(&mut self) {
        let state = self.state;
        let style = state.pen.style();
        self.set_style(&Style { link: LinkId::NONE, ..style }, state.tables.link(style.link));
        if style.underline == Underline::None && state.pen.underline_color != Style::default().underline_color
        {
            self.latent_underline_color(state.pen.underline_color);
        }
    }

    /// A mark that comes next joins the character printed last, and REP repeats it: printed once more, in its
    /// place, as the very last thing.
    fn last_character(&mut self) {
        let state = self.state;
        let screen = &state.screens[state.active];
        let Some((col, cell)) = state.joinable_cell() else { return };
        let top = if state.modes.origin { screen.margins.top } else { 0 };
        let line = screen.cursor.row.saturating_sub(top) + 1;
        self.format(format_args!("\x1b[{line};{}H", col + 1));
        if state.modes.insert {
            // Out with it first, or it would push the rest of the row aside.
            self.format(format_args!("\x1b[{}P", cell.width()));
        }
        let text: String =
            state.cell_text(cell).chars().map(|c| state.charsets.active.source_of(c).unwrap_or(c)).collect();
        self.raw(&text);
    }
}
