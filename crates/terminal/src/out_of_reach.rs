//! States that no snapshot reaches, because no sequence leads there from outside.

use crate::history::{StoredGlyph, StoredLine};
use crate::row::Row;
use crate::screen::SavedCursor;
use crate::state::State;
use crate::style::{Flags, LinkId, Style, Underline};

impl State {
    /// Names the part of the state, if there is one, that no sequence sets: restoring a cursor brings back half of a
    /// pen or of the character sets, and only the very cursor that was restored would do so again.
    pub(crate) fn out_of_reach(&self) -> Option<&'static str> {
        let pen = &self.pen;
        let screen = &self.screens[self.active];
        let underlined = pen.underline != Underline::None;
        let extended = underlined || pen.link != LinkId::NONE;
        let half_saved = |saved: &SavedCursor| saved.flags.contains(Flags::UNDERLINE) && !saved.extended;
        if extended != pen.extended || underlined != pen.flags.contains(Flags::UNDERLINE) {
            Some("half a pen")
        } else if self.screens.iter().any(|screen| half_saved(&screen.saved)) {
            Some("half a pen, saved")
        } else if self.charsets.strayed() {
            Some("half a character set")
        } else if self.modes.origin && !screen.margins.contains(screen.cursor.row) {
            Some("a cursor outside the region in origin mode")
        } else if screen.cursor.col > self.cols() {
            Some("marks behind the last column")
        } else if self.joinable > 0 && self.joinable_cell().is_none() {
            Some("a wide character that found no room")
        } else if self.screens.iter().any(|screen| screen.rows.iter().any(Row::has_lone_half))
            || self.history.last(usize::MAX).any(|line| line.has_lone_half())
        {
            Some("half a wide character")
        } else if self.has_styled_blank() {
            Some("a blank with more than a background")
        } else {
            None
        }
    }

    /// Whether a column that was never printed on has an attribute or a link, as the one that a wide character left
    /// because it did not fit. Snapshots print a space there, which counts when lines are wrapped anew.
    fn has_styled_blank(&self) -> bool {
        let styled = |style: Style| !style.only_background();
        let live = |row: &Row| {
            row.cells().iter().any(|cell| cell.is_blank() && styled(self.tables.styles.get(cell.style())))
        };
        let stored = |line: StoredLine<'_>| {
            line.cells()
                .any(|cell| matches!(cell.glyph, StoredGlyph::Blank) && styled(line.style(cell.style)))
        };
        self.screens.iter().any(|screen| screen.rows.iter().any(live))
            || self.history.last(usize::MAX).any(stored)
    }
}
