//! What our terminal shows.

use model::TermSize;
use terminal::{Flags, HistoryLimit, MouseTracking, Style, StyledRow, Terminal};

use crate::view::{Look, Row, View, letters};

pub(crate) fn view(bytes: &[u8], size: TermSize) -> View {
    let mut terminal = Terminal::new(size, HistoryLimit::default());
    terminal.feed(bytes);
    let cursor = terminal.cursor();
    let modes = terminal.modes();
    View {
        rows: terminal.rows().map(|styled| row(&styled, size.cols())).collect(),
        cursor: (cursor.col, cursor.row),
        pending_wrap: cursor.pending_wrap,
        alternate: terminal.on_alternate_screen(),
        modes: vec![
            ("application cursor", modes.application_cursor),
            ("application keypad", modes.application_keypad),
            ("autowrap", modes.autowrap),
            ("bracketed paste", modes.bracketed_paste),
            ("cursor visible", modes.cursor_visible),
            ("focus events", modes.focus_events),
            ("insert", modes.insert),
            ("origin", modes.origin),
            ("mouse buttons", modes.mouse == MouseTracking::Buttons),
            ("mouse drag", modes.mouse == MouseTracking::Drag),
            ("mouse motion", modes.mouse == MouseTracking::Any),
            ("mouse sgr", modes.private(1006) == Some(true)),
        ],
        keyboard: terminal.keyboard_flags(),
        title: terminal.title().trim().to_owned(),
        history: terminal.history_rows(usize::MAX).map(|styled| row(&styled, size.cols()).text()).collect(),
    }
}

fn row(styled: &StyledRow, cols: u16) -> Row {
    let mut row = Row::default();
    let mut written = 0;
    for span in &styled.spans {
        let link = span.link.as_ref().map(|link| link.uri.clone());
        row.add(look(&span.style, link.unwrap_or_default()), &span.text);
        written += span.cols;
    }
    if written < cols {
        row.add(look(&styled.fill, String::new()), &" ".repeat(usize::from(cols - written)));
    }
    row
}

fn look(style: &Style, link: String) -> Look {
    let flag = |flag| style.flags.contains(flag);
    Look {
        foreground: style.foreground.kind(),
        background: style.background.kind(),
        underline: style.underline,
        underline_color: style.underline_color.kind(),
        attributes: letters([
            (flag(Flags::BOLD), 'b'),
            (flag(Flags::DIM), 'd'),
            (flag(Flags::ITALIC), 'i'),
            (flag(Flags::INVERSE), 'v'),
            (flag(Flags::INVISIBLE), 'h'),
            (flag(Flags::STRIKE), 's'),
        ]),
        link,
    }
    .seen()
}
