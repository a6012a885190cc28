//! Window operations: `CSI … t`.

use grammar::Params;

use crate::reply::CELL_PIXELS;
use crate::state::State;

impl State {
    /// `CSI … t`: reports of size and state, the title stack. Output does not move or resize windows.
    pub(crate) fn window_operation(&mut self, params: &Params) {
        let (cols, rows) = (usize::from(self.size.cols()), usize::from(self.size.rows()));
        let (width, height) = CELL_PIXELS;
        match (params.get(0), params.get(1)) {
            (11, _) => self.reply("\x1b[1t"),
            (13, _) => self.reply("\x1b[3;0;0t"),
            (14, _) => self.reply(&format!("\x1b[4;{};{}t", rows * height, cols * width)),
            (15, _) => self.reply(&format!("\x1b[5;{};{}t", rows * height, cols * width)),
            (16, _) => self.reply(&format!("\x1b[6;{height};{width}t")),
            (18, _) => self.reply(&format!("\x1b[8;{rows};{cols}t")),
            (19, _) => self.reply(&format!("\x1b[9;{rows};{cols}t")),
            (22, which @ 0..=2) => {
                if which != 1 {
                    self.titles.push_window();
                }
                if which != 2 {
                    self.titles.push_icon();
                }
            }
            (23, which @ 0..=2) => {
                if which != 1
                    && let Some(title) = self.titles.window_stack.pop()
                {
                    self.set_title(title);
                }
                if which != 2
                    && let Some(name) = self.titles.icon_stack.pop()
                {
                    self.titles.icon = name;
                }
            }
            _ => {}
        }
    }
}
