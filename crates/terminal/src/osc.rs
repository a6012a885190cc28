//! Operating-system commands: `OSC number ; text ST`.

use std::sync::Arc;

use grammar::Terminator;

use crate::colors::{self, OwnColor};
use crate::notification::{self, Osc9};
use crate::program_status::ProgramStatus;
use crate::signal::{PromptMark, Signal};
use crate::state::State;
use crate::style::LinkId;
use crate::tables::Link;
use crate::titles;

/// Longer addresses are no links.
const MAX_URI: usize = 4096;

impl State {
    pub(crate) fn operating_system_command(&mut self, data: &[u8], end: Terminator) {
        let Ok(data) = std::str::from_utf8(data) else { return };
        let (number, text) = data.split_once(';').unwrap_or((data, ""));
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        match number.trim_start_matches('0') {
            "" => {
                self.set_title(titles::capped(text));
                self.titles.icon = titles::capped(text);
            }
            "1" => self.titles.icon = titles::capped(text),
            "2" => self.set_title(titles::capped(text)),
            "4" => self.palette_colors(text, end),
            "7" => self.set_cwd(text),
            "8" => self.hyperlink(text),
            "9" => self.notify_or_progress(text),
            "10" => self.own_colors(0, text, end),
            "11" => self.own_colors(1, text, end),
            "12" => self.own_colors(2, text, end),
            "99" => {
                if let Some(notification) = self.notification.add(text) {
                    self.signal(Signal::Notification(notification));
                }
            }
            "104" => self.reset_palette(text),
            "110" => self.palette.reset_own(OwnColor::Foreground),
            "111" => self.palette.reset_own(OwnColor::Background),
            "112" => self.palette.reset_own(OwnColor::Cursor),
            "133" => self.prompt_mark(text),
            "777" => {
                if let Some(notification) = notification::parse_777(text) {
                    self.signal(Signal::Notification(notification));
                }
            }
            "7501" => self.program_status(text, end),
            _ => {}
        }
    }

    fn palette_colors(&mut self, text: &str, end: Terminator) {
        let mut parts = text.split(';');
        while let (Some(index), Some(color)) = (parts.next(), parts.next()) {
            let Some(index) = palette_index(index) else { continue };
            if color == "?" {
                self.report_color(&format!("4;{index}"), self.palette.get(index), end);
            } else if let Some(color) = colors::parse(color) {
                self.palette.set(index, color);
            }
        }
    }

    fn reset_palette(&mut self, text: &str) {
        if text.is_empty() {
            return self.palette.reset_indexed();
        }
        text.split(';').filter_map(palette_index).for_each(|index| self.palette.reset_one(index));
    }

    fn own_colors(&mut self, first: usize, text: &str, end: Terminator) {
        for (which, color) in OwnColor::ALL[first..].iter().zip(text.split(';')) {
            if color == "?" {
                self.report_color(&which.osc().to_string(), self.palette.own(*which), end);
            } else if let Some(color) = colors::parse(color) {
                self.palette.set_own(*which, color);
            }
        }
    }

    fn set_cwd(&mut self, text: &str) {
        let cwd = titles::capped(text);
        if self.cwd != cwd {
            self.cwd.clone_from(&cwd);
            self.signal(Signal::Cwd(cwd));
        }
    }

    fn hyperlink(&mut self, text: &str) {
        let Some((params, uri)) = text.split_once(';') else { return };
        let params = params.trim();
        if uri.is_empty() {
            if params.is_empty() {
                self.pen.set_link(LinkId::NONE);
                self.pen_changed();
            }
            return;
        }
        let id = params.split(':').find_map(|param| param.strip_prefix("id=")).unwrap_or("");
        let link = match uri.len() + id.len() <= MAX_URI {
            true => self.tables.add_link(Arc::new(Link { id: id.to_owned(), uri: uri.to_owned() })),
            false => LinkId::NONE,
        };
        self.pen.set_link(link);
        self.pen_changed();
    }

    fn notify_or_progress(&mut self, text: &str) {
        match Osc9::parse(text) {
            Some(Osc9::Progress(progress)) => {
                self.progress_touched = true;
                if std::mem::replace(&mut self.progress, progress) != progress {
                    self.signal(Signal::Progress(progress));
                }
            }
            Some(Osc9::Cwd(path)) => self.set_cwd(&path),
            Some(Osc9::Text(notification)) => self.signal(Signal::Notification(notification)),
            None => {}
        }
    }

    fn prompt_mark(&mut self, text: &str) {
        let mut parts = text.split(';');
        let mark = match parts.next() {
            Some("A") => PromptMark::Prompt,
            Some("B") => PromptMark::Input,
            Some("C") => PromptMark::Output,
            Some("D") => PromptMark::Finished(parts.next().and_then(|code| code.parse().ok())),
            _ => return,
        };
        if mark == PromptMark::Prompt {
            // Back at its prompt, the shell knows that what ran before is gone.
            self.statuses.clear();
        }
        self.screen().row().marks.add(mark);
        self.signal(Signal::Prompt(mark));
    }

    fn program_status(&mut self, text: &str, end: Terminator) {
        if text == "?" {
            return self.report_program_status(end);
        }
        if let Some(status) = ProgramStatus::parse(text) {
            self.statuses.update(&status);
            self.signal(Signal::Status(status));
        }
    }
}

fn palette_index(text: &str) -> Option<u8> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
