//! What `alacritty_terminal` shows.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte::ansi::{Color, NamedColor, Processor};
use model::TermSize;
use terminal::{ColorKind, Underline};

use crate::view::{Look, Row, View, letters};

pub(crate) fn view(bytes: &[u8], size: TermSize) -> View {
    let title = Title::default();
    let config = Config { kitty_keyboard: true, ..Config::default() };
    let mut term = Term::new(config, &Size(size), title.clone());
    let mut processor: Processor = Processor::new();
    processor.advance(&mut term, bytes);
    processor.stop_sync(&mut term);

    let row = |line| row(&term, line);
    let cursor = &term.grid().cursor;
    let mode = |mode| term.mode().contains(mode);
    let history = term.history_size() as i32;
    View {
        rows: (0..i32::from(size.rows())).map(row).collect(),
        cursor: (cursor.point.column.0 as u16, cursor.point.line.0 as u16),
        pending_wrap: cursor.input_needs_wrap,
        alternate: mode(TermMode::ALT_SCREEN),
        modes: vec![
            ("application cursor", mode(TermMode::APP_CURSOR)),
            ("application keypad", mode(TermMode::APP_KEYPAD)),
            ("autowrap", mode(TermMode::LINE_WRAP)),
            ("bracketed paste", mode(TermMode::BRACKETED_PASTE)),
            ("cursor visible", mode(TermMode::SHOW_CURSOR)),
            ("focus events", mode(TermMode::FOCUS_IN_OUT)),
            ("insert", mode(TermMode::INSERT)),
            ("origin", mode(TermMode::ORIGIN)),
            ("mouse buttons", mode(TermMode::MOUSE_REPORT_CLICK)),
            ("mouse drag", mode(TermMode::MOUSE_DRAG)),
            ("mouse motion", mode(TermMode::MOUSE_MOTION)),
            ("mouse sgr", mode(TermMode::SGR_MOUSE)),
        ],
        keyboard: keyboard(*term.mode()),
        title: title.0.borrow().clone(),
        history: (-history..0).map(|line| row(line).text()).collect(),
    }
}

/// The flags as the protocol numbers them.
fn keyboard(mode: TermMode) -> u32 {
    let flags = [
        TermMode::DISAMBIGUATE_ESC_CODES,
        TermMode::REPORT_EVENT_TYPES,
        TermMode::REPORT_ALTERNATE_KEYS,
        TermMode::REPORT_ALL_KEYS_AS_ESC,
        TermMode::REPORT_ASSOCIATED_TEXT,
    ];
    (0..).zip(flags).filter(|(_, flag)| mode.contains(*flag)).map(|(bit, _)| 1 << bit).sum()
}

fn row<T>(term: &Term<T>, line: i32) -> Row {
    let mut row = Row::default();
    for col in 0..term.columns() {
        let cell = &term.grid()[Line(line)][Column(col)];
        if !cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            row.add(look(cell), &text(cell));
        }
    }
    row
}

fn text(cell: &Cell) -> String {
    // A tab leaves its own character in a blank cell, for copying.
    let base = if cell.c == '\t' { ' ' } else { cell.c };
    iter::once(base).chain(cell.zerowidth().unwrap_or_default().iter().copied()).collect()
}

fn look(cell: &Cell) -> Look {
    let flag = |flag| cell.flags.contains(flag);
    let underlines = [
        (Flags::UNDERLINE, Underline::Single),
        (Flags::DOUBLE_UNDERLINE, Underline::Double),
        (Flags::UNDERCURL, Underline::Curly),
        (Flags::DOTTED_UNDERLINE, Underline::Dotted),
        (Flags::DASHED_UNDERLINE, Underline::Dashed),
    ];
    Look {
        foreground: color(cell.fg),
        background: color(cell.bg),
        underline: underlines.iter().find(|(it, _)| flag(*it)).map_or(Underline::None, |(_, line)| *line),
        underline_color: cell.underline_color().map_or(ColorKind::Default, color),
        attributes: letters([
            (flag(Flags::BOLD), 'b'),
            (flag(Flags::DIM), 'd'),
            (flag(Flags::ITALIC), 'i'),
            (flag(Flags::INVERSE), 'v'),
            (flag(Flags::HIDDEN), 'h'),
            (flag(Flags::STRIKEOUT), 's'),
        ]),
        link: cell.hyperlink().map(|link| link.uri().to_owned()).unwrap_or_default(),
    }
    .seen()
}

fn color(color: Color) -> ColorKind {
    match color {
        Color::Named(NamedColor::Foreground | NamedColor::Background) => ColorKind::Default,
        Color::Named(named) => ColorKind::Indexed(named as u8),
        Color::Indexed(index) => ColorKind::Indexed(index),
        Color::Spec(rgb) => ColorKind::Rgb(rgb.r, rgb.g, rgb.b),
    }
}

/// The title that a program gave.
#[derive(Clone, Default)]
struct Title(Rc<RefCell<String>>);

impl EventListener for Title {
    fn send_event(&self, event: Event) {
        match event {
            Event::Title(title) => *self.0.borrow_mut() = title,
            Event::ResetTitle => self.0.borrow_mut().clear(),
            _ => {}
        }
    }
}

struct Size(TermSize);

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows())
    }

    fn columns(&self) -> usize {
        usize::from(self.0.cols())
    }
}
