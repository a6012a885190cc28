//! The modes that decide which bytes a key sends.

use terminal::{CursorShape, CursorStyle, Terminal};

/// What puts an outer terminal into the modes of a worker's, as far as keys and pastes go, and gives the cursor its
/// looks. The mouse is left to the outer terminal: a place on it is not the same place on the worker's screen.
pub(crate) fn of(model: &Terminal) -> String {
    let modes = model.modes();
    let switch = |on: bool| if on { 'h' } else { 'l' };
    format!(
        "\x1b[?1{}\x1b{}\x1b[?2004{}\x1b[={}u\x1b[>4;{}m\x1b[{} q",
        switch(modes.application_cursor),
        if modes.application_keypad { '=' } else { '>' },
        switch(modes.bracketed_paste),
        model.keyboard_flags(),
        modes.modify_other_keys,
        number(model.cursor().style),
    )
}

/// The number that gives a cursor these looks (DECSCUSR).
pub(crate) fn number(style: CursorStyle) -> u32 {
    let steady = match style.shape {
        None => return 0,
        Some(CursorShape::Block) => 2,
        Some(CursorShape::Underline) => 4,
        Some(CursorShape::Bar) => 6,
    };
    steady - u32::from(style.blink == Some(true))
}
