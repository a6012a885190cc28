//! The whole observable state as text, so that tests can compare two terminals and show where they differ.

use std::fmt::Write;

use crate::screen::Screen;
use crate::state::{ALTERNATE, MAIN, State};
use crate::style::Style;
use crate::styled::{self, StyledRow};

pub(crate) fn write(state: &State, unfinished: impl Iterator<Item = u8>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "size {} active {}", state.size, state.active);
    for index in 0..state.history.len() {
        let Some(line) = state.history.line(index) else { break };
        row(&mut out, "history", index, &styled::stored_row(line), state.size.cols());
    }
    screen(&mut out, state, "main", &state.screens[MAIN]);
    if state.active == ALTERNATE {
        screen(&mut out, state, "alternate", &state.screens[ALTERNATE]);
    }
    let _ = writeln!(out, "cursor {:?}", state.screens[state.active].cursor);
    let _ = writeln!(out, "alternate saved {:?}", state.screens[ALTERNATE].saved);
    let link = state.tables.link(state.pen.link).map(|link| &link.uri);
    let _ = writeln!(out, "pen {:?} link {link:?} joinable {}", state.pen.style(), state.joinable);
    let _ = writeln!(out, "charsets {:?}", state.charsets);
    let mut modes = state.modes.clone();
    modes.others.retain(|_, on| *on);
    let _ = writeln!(out, "{modes:?}");
    let _ = writeln!(out, "{:?}", state.cursor_style);
    let _ = writeln!(out, "{:?}", state.keyboards);
    let _ = writeln!(out, "{:?}", state.titles);
    let _ = writeln!(out, "{:?} cwd {:?}", state.palette, state.cwd);
    let _ = writeln!(out, "unfinished {:?}", unfinished.map(char::from).collect::<String>());
    out
}

fn screen(out: &mut String, state: &State, name: &str, screen: &Screen) {
    for (index, live) in screen.rows.iter().enumerate() {
        row(out, name, index, &styled::live_row(live, &state.tables), state.size.cols());
    }
    let _ = writeln!(out, "{name} {:?} tabs {:?}", screen.margins, screen.tabs().collect::<Vec<_>>());
    if name == "main" {
        let _ = writeln!(out, "{name} saved {:?}", screen.saved);
    }
}

fn row(out: &mut String, name: &str, index: usize, row: &StyledRow, cols: u16) {
    let _ = write!(out, "{name} {index}{}", if row.wrapped { "+" } else { "" });
    for mark in row.marks.iter() {
        let _ = write!(out, " {mark:?}");
    }
    let row = row.at_width(cols);
    for (i, span) in row.spans.iter().enumerate() {
        let plain_end = i + 1 == row.spans.len() && span.style == Style::default() && span.link.is_none();
        let text = if plain_end { span.text.trim_end_matches(' ') } else { &span.text };
        let link = span.link.as_ref().map(|link| format!(" -> {} {}", link.id, link.uri)).unwrap_or_default();
        let _ = write!(out, " [{:?}{link}]{text:?}", span.style);
    }
    out.push('\n');
}
