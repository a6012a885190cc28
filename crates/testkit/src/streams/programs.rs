//! Streams that behave as programs do.

use super::Writer;

impl Writer {
    /// A prompt and the command typed at it.
    pub(super) fn command_line(&mut self) {
        self.prompt();
        self.line_editing();
        self.put("\x1b[?2004l\r\r\n");
    }

    /// One command line and what the command printed.
    pub(super) fn shell(&mut self) {
        self.command_line();
        if self.random.percent(50) {
            self.put("\x1b]133;C\x07");
        }
        let end = self.out.len() + self.random.between(100, 1200);
        match self.random.below(12) {
            0..=5 => self.command_output(),
            6 => self.progress_bar(),
            7 => self.put("\x1b[H\x1b[2J\x1b[3J"),
            8 => self.pager(end),
            9 => self.editor(end),
            10 => self.interface(end),
            _ => self.flood(),
        }
    }

    fn prompt(&mut self) {
        if self.random.percent(50) {
            self.put("\x1b]133;D;0\x07\x1b]7;file://host/home/user\x07\x1b]133;A\x07");
        }
        if self.random.percent(40) {
            self.put("\x1b]0;user@host: ~/src\x07");
        }
        if self.random.percent(20) {
            self.query();
        }
        let prompt = self.random.pick(&[
            "\x1b[?2004h\x1b[01;32muser@host\x1b[00m:\x1b[01;34m~/src\x1b[00m$ ",
            "\x1b[?2004h\x1b[38;5;39m❯\x1b[0m ",
            "\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m                    \r \r\r\x1b[0m\x1b[27m\x1b[24m\x1b[J$ \x1b[K\x1b[?2004h",
            "$ ",
        ]);
        self.put(prompt);
        if self.random.percent(50) {
            self.put("\x1b]133;B\x07");
        }
    }

    fn line_editing(&mut self) {
        for _ in 0..self.random.between(1, 8) {
            match self.random.below(10) {
                0..=4 => self.words(),
                5 => self.put("\x08\x1b[K"),
                6 => self.put("\x08\x08\x1b[1@x\x08"),
                7 => self.put("\x08\x1b[1P"),
                8 => self.put("\r\x1b[C\x1b[C"),
                _ => self.long_line(),
            }
        }
    }

    fn command_output(&mut self) {
        for _ in 0..self.random.between(1, 12) {
            match self.random.below(8) {
                0 => self.long_line(),
                1 => {
                    self.sgr();
                    self.words();
                    self.put("\x1b[0m");
                }
                2 => {
                    self.words();
                    self.put("\t");
                    self.words();
                    self.put("\t");
                    self.words();
                }
                3 => self.link(),
                4 => self.put("\x1b[01;34mdir\x1b[0m  \x1b[01;32mprogram\x1b[0m  file.txt"),
                _ => self.words(),
            }
            self.put("\r\n");
        }
    }

    fn progress_bar(&mut self) {
        for step in 0..self.random.between(2, 8) {
            let done = (self.cols() - 1).min(step * 3);
            self.put("\r\x1b[K\x1b[32m");
            self.put("█".repeat(done));
            self.put("\x1b[0m");
            if self.random.percent(30) {
                self.put(format!("\x1b]9;4;1;{}\x07", step * 12));
            }
        }
        self.put("\r\n");
    }

    /// A pager on the alternate screen, until the stream is `length` bytes long.
    pub(super) fn pager(&mut self, length: usize) {
        self.put("\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\r");
        self.page();
        while self.out.len() < length {
            match self.random.below(6) {
                0 => self.page(),
                1 | 2 => {
                    self.put("\r\x1b[K");
                    self.words();
                    self.put("\r\n:\x1b[K");
                }
                3 => {
                    self.put("\x1b[H\x1bM");
                    self.words();
                    let rows = self.rows();
                    self.go_to(rows, 1);
                    self.put("\x1b[K:");
                }
                4 => self.put("\x1b[7m(END)\x1b[27m\x1b[K"),
                _ => self.put("\r\x1b[K/pattern\x08\x08\x1b[K\r\x1b[K"),
            }
        }
        self.put("\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0t");
    }

    fn page(&mut self) {
        self.put("\x1b[H\x1b[2J");
        for _ in 1..self.rows() {
            if self.random.percent(20) {
                self.long_line();
            } else {
                self.words();
            }
            self.put("\r\n");
        }
        self.put(":\x1b[K");
    }

    /// An editor on the alternate screen, until the stream is `length` bytes long.
    pub(super) fn editor(&mut self, length: usize) {
        self.put("\x1b[?1049h\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?12h\x1b[?12l\x1b[27m\x1b[24m\x1b[23m\x1b[0m\x1b[H\x1b[J\x1b[?25l");
        if self.random.percent(40) {
            self.query();
        }
        while self.out.len() < length {
            let (row, column, count) = (self.row(), self.column(), self.count());
            let (top, bottom) = (self.row(), self.row());
            match self.random.below(12) {
                0..=3 => {
                    self.go_to(row, column);
                    self.sgr();
                    self.words();
                    self.put("\x1b[m\x1b[K");
                }
                4 => {
                    self.csi(format!("{};{}r", top.min(bottom), top.max(bottom)));
                    self.go_to(top.min(bottom), 1);
                    let shift = self.random.pick(&["L", "M"]);
                    self.csi(format!("{count}{shift}"));
                    self.words();
                    self.csi("r");
                }
                5 => {
                    self.csi(format!("{};{}r", top.min(bottom), top.max(bottom)));
                    let scroll = self.random.pick(&["\n", "\x1bM", "\x1bD", "\x1b[S", "\x1b[T", "\x1b[3S"]);
                    self.go_to(bottom.max(top), 1);
                    self.put(scroll);
                    self.csi("1;9999r");
                }
                6 => {
                    self.go_to(row, column);
                    self.put(format!("\x1b[{count}@"));
                    self.words();
                }
                7 => {
                    self.go_to(row, column);
                    self.put(format!("\x1b[{count}P"));
                }
                8 => {
                    let rows = self.rows();
                    self.go_to(rows, 1);
                    self.put("\x1b[1m-- INSERT --\x1b[m\x1b[K");
                }
                9 => {
                    self.go_to(row, 1);
                    self.put("\x1b[94m~\x1b[m\x1b[K");
                }
                10 => self.cursor_style(),
                _ => {
                    self.go_to(row, column);
                    self.put("\x1b[?25h");
                    self.words();
                    self.put("\x1b[?25l");
                }
            }
        }
        self.put("\x1b[?25h\x1b[>4;m\x1b[?2004l\x1b[?1004l\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0t");
    }

    /// An interface that redraws itself, until the stream is `length` bytes long.
    pub(super) fn interface(&mut self, length: usize) {
        if self.random.percent(45) {
            self.inline_interface(length);
        } else {
            self.full_screen_interface(length);
        }
    }

    fn full_screen_interface(&mut self, length: usize) {
        self.put(
            "\x1b[?1049h\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[>1u\x1b[?25l\x1b[2J",
        );
        if self.random.percent(30) {
            self.put("\x1b[?2031h\x1b[?2048h");
        }
        while self.out.len() < length {
            let synchronised = self.random.percent(60);
            if synchronised {
                self.put("\x1b[?2026h");
            }
            if self.random.percent(30) {
                self.whole_frame();
            } else {
                for _ in 0..self.random.between(1, 5) {
                    let (row, column) = (self.row(), self.column());
                    self.go_to(row, column);
                    self.sgr();
                    self.words();
                }
            }
            if self.random.percent(20) {
                self.title();
            }
            if synchronised {
                self.put("\x1b[?2026l");
            }
        }
        if self.random.percent(70) {
            self.put("\x1b[<u\x1b[?2004l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1049l\x1b[?25h");
        }
    }

    fn whole_frame(&mut self) {
        self.put("\x1b[H");
        let (rows, cols) = (self.rows(), self.cols());
        for row in 1..=rows {
            self.go_to(row, 1);
            let shade = self.random.below(256);
            self.csi(format!("48;2;{shade};20;{row}m"));
            match self.random.below(4) {
                0 => self.rule(cols),
                1 => {
                    self.words();
                    self.put("\x1b[K");
                }
                2 => self.put(" ".repeat(cols)),
                _ => {
                    self.put("│");
                    self.sgr();
                    self.words();
                    self.csi(format!("{cols}G"));
                    self.put("│");
                }
            }
            self.put("\x1b[0m");
        }
    }

    /// As coding agents draw: below the prompt, erased upwards line by line and printed anew.
    fn inline_interface(&mut self, length: usize) {
        self.put("\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?2031h");
        let mut drawn = 0;
        while self.out.len() < length {
            self.put("\x1b[?2026h");
            if self.random.percent(70) {
                self.put("\x1b[2K\x1b[1A".repeat(drawn));
                self.put("\x1b[2K\x1b[G");
            } else {
                self.put(format!("\x1b[{}A\r\x1b[J", drawn.max(1)));
            }
            if self.random.percent(40) {
                for _ in 0..self.random.between(1, 3) {
                    self.long_line();
                    self.put("\r\n");
                }
            }
            let width = self.cols();
            self.put("\x1b[38;2;136;136;136m╭");
            self.rule(width.saturating_sub(2));
            self.put("╮\x1b[39m\r\n");
            drawn = self.random.between(1, 5);
            for _ in 1..drawn {
                self.sgr();
                self.words();
                self.put("\x1b[0m\r\n");
            }
            self.put("\x1b[?2026l");
            if self.random.percent(30) {
                self.put("\x1b]0;⠂ task\x07");
            }
        }
        if self.random.percent(60) {
            self.put("\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[?2031l\r\n");
        }
    }

    /// A burst of lines.
    pub(super) fn flood(&mut self) {
        for _ in 0..self.random.between(5, 60) {
            match self.random.below(10) {
                0 | 1 => self.long_line(),
                2 => {
                    self.sgr();
                    self.words();
                }
                3 => {
                    self.put("\x1b[32mok\x1b[0m ");
                    self.words();
                }
                4 => self.odd_text(),
                5 => {}
                _ => self.words(),
            }
            let end = self.random.weighted(&[
                (20, "\r\n"),
                (1, "\n"),
                (1, "\x1b[K\r\n"),
                (1, "\x1b[44m\x1b[K\x1b[0m\r\n"),
            ]);
            self.put(end);
        }
    }
}
