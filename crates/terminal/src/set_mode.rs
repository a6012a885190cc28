//! Setting and resetting modes: `CSI … h` and `CSI … l`.

use grammar::Params;

use crate::modes::{MouseEncoding, MouseTracking};
use crate::state::State;

impl State {
    pub(crate) fn ansi_modes(&mut self, params: &Params, on: bool) {
        for (mode, _) in params.iter() {
            match mode {
                4 => self.modes.insert = on,
                20 => self.modes.newline = on,
                _ => {}
            }
        }
    }

    pub(crate) fn private_mode(&mut self, mode: u32, on: bool) {
        let modes = &mut self.modes;
        match mode {
            1 => modes.application_cursor = on,
            2 if on => {
                for level in 0..4 {
                    self.charsets.designate(level, Default::default());
                }
            }
            6 => {
                modes.origin = on;
                self.go_to(0, 0);
            }
            7 => modes.autowrap = on,
            25 => modes.cursor_visible = on,
            45 => modes.reverse_wrap = on,
            66 => modes.application_keypad = on,
            9 | 1000 | 1002 | 1003 => {
                modes.mouse = match mode {
                    _ if !on => MouseTracking::Off,
                    9 => MouseTracking::X10,
                    1000 => MouseTracking::Buttons,
                    1002 => MouseTracking::Drag,
                    _ => MouseTracking::Any,
                };
            }
            1004 => modes.focus_events = on,
            1006 | 1016 => {
                modes.mouse_encoding = match mode {
                    _ if !on => MouseEncoding::Bytes,
                    1006 => MouseEncoding::Sgr,
                    _ => MouseEncoding::SgrPixels,
                };
                if mode == 1016 {
                    modes.keep(mode, on);
                }
            }
            47 | 1047 if on => self.show_alternate(),
            47 | 1047 => self.show_main(),
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                self.save_cursor();
                self.show_alternate();
            }
            1049 => {
                self.show_main();
                self.restore_cursor();
            }
            2004 => modes.bracketed_paste = on,
            2026 => modes.synchronized = on,
            2027 => modes.grapheme_clusters = on,
            2048 => {
                modes.keep(mode, on);
                if on {
                    self.report_size_in_band();
                }
            }
            _ => modes.keep(mode, on),
        }
    }
}
