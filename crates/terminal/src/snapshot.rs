//! Bytes that bring another terminal into the state of this one.
//!
//! The order matters, since many sequences have side effects: what moves the cursor comes before the cursor, what
//! prints comes before insert mode and character sets, the last character printed comes last of all, so that a
//! mark that follows still finds it. Nothing in a snapshot asks a question or rings.

mod finish;
mod paint;
mod row;

use crate::screen::SavedCursor;
use crate::state::{ALTERNATE, MAIN, State};
use paint::Painter;
use row::PaintRow;

/// What a snapshot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotForm {
    /// For an emulator of our own: begins with a reset, then history, both screens and everything else.
    Full {
        /// How many lines of history it shall have at most.
        history: usize,
    },
    /// For a person's real terminal: no reset and no history; the visible screen is drawn on the alternate screen,
    /// so that the person's own scrollback stays as it is, and every mode is set or reset explicitly.
    Screen,
}

/// CAN ends an unfinished sequence of the viewer.
const CANCEL: &str = "\x18";

pub(crate) fn write(state: &State, unfinished: impl Iterator<Item = u8>, form: SnapshotForm) -> Vec<u8> {
    let mut painter = Painter::new(state);
    match form {
        SnapshotForm::Full { history } => full(&mut painter, state, history),
        SnapshotForm::Screen => screen(&mut painter, state),
    }
    let mut bytes = painter.finish();
    bytes.extend(unfinished);
    bytes
}

fn full<'a>(painter: &mut Painter<'a>, state: &'a State, history: usize) {
    painter.raw(CANCEL);
    painter.raw("\x1bc");
    painter.title_stacks();
    painter.title();
    painter.report_progress(state.progress_touched);
    painter.colors();
    painter.program_statuses();

    let main = &state.screens[MAIN];
    let kept = history.min(state.history.len());
    let above = state.history.len() - kept;
    if state.active == MAIN {
        painter.hidden_alternate(&state.screens[ALTERNATE].saved, &state.keyboards[ALTERNATE]);
    }
    let saved_line = main.saved.line.saturating_sub(above);
    painter.saved_below_screen(&main.saved, saved_line, kept, history);

    let lines = state.history.last(kept).map(PaintRow::stored);
    let rows = main.rows.iter().map(|row| PaintRow::live(row, &state.tables));
    painter.rows(lines.chain(rows), kept > 0, unless_default(&main.saved, saved_line));
    painter.screen_settings(main, false);
    painter.keyboard(&state.keyboards[MAIN]);
    if state.active == ALTERNATE {
        let alternate = &state.screens[ALTERNATE];
        painter.plain_style();
        // Where the hidden screen's cursor stands matters when it is resized.
        painter.go_to(main.cursor);
        painter.raw("\x1b[?1047h\x1b[H");
        painter.on_alternate = true;
        let rows = alternate.rows.iter().map(|row| PaintRow::live(row, &state.tables));
        painter.rows(
            rows,
            false,
            unless_default(&alternate.saved, alternate.saved.line.min(alternate.height() - 1)),
        );
        painter.screen_settings(alternate, false);
        painter.keyboard(&state.keyboards[ALTERNATE]);
    }
    painter.end(false);
}

/// After a reset there is no need to save the cursor that a reset leaves saved.
fn unless_default(saved: &SavedCursor, line: usize) -> Option<(&SavedCursor, usize)> {
    (*saved != SavedCursor::default()).then_some((saved, line))
}

fn screen<'a>(painter: &mut Painter<'a>, state: &'a State) {
    painter.raw(CANCEL);
    painter.neutral();
    painter.on_alternate = true;
    if state.titles.touched {
        painter.title();
    }
    painter.report_progress(state.progress_touched);
    if state.palette.touched {
        painter.colors();
    }
    let shown = &state.screens[state.active];
    let rows = shown.rows.iter().map(|row| PaintRow::live(row, &state.tables));
    let saved_line = shown.saved.line.saturating_sub(state.lines_above()).min(shown.height() - 1);
    painter.rows(rows, false, Some((&shown.saved, saved_line)));
    painter.screen_settings(shown, true);
    painter.end(true);
}
