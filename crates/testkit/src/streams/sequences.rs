//! Every well-formed sequence, one function for each family.

use super::Writer;

impl Writer {
    /// One piece of output of any kind.
    pub(super) fn any_sequence(&mut self) {
        type Piece = fn(&mut Writer);
        let pieces: &[(usize, Piece)] = &[
            (24, Writer::words),
            (10, Writer::odd_text),
            (4, Writer::long_line),
            (16, Writer::control),
            (2, Writer::eight_bit_control),
            (18, Writer::cursor_move),
            (4, Writer::margins),
            (5, Writer::tab),
            (12, Writer::erase),
            (10, Writer::edit),
            (14, Writer::sgr),
            (5, Writer::charset),
            (5, Writer::saved_cursor),
            (3, Writer::alternate_screen),
            (4, Writer::repeat),
            (8, Writer::screen_mode),
            (6, Writer::input_mode),
            (2, Writer::unknown_mode),
            (2, Writer::cursor_style),
            (3, Writer::title),
            (3, Writer::colours),
            (4, Writer::link),
            (2, Writer::report),
            (3, Writer::keyboard),
            (2, Writer::query),
            (1, Writer::foreign_string),
            (1, Writer::reset),
            (2, Writer::lines),
        ];
        self.random.weighted(pieces)(self);
    }

    pub(super) fn control(&mut self) {
        let control = self.random.weighted(&[
            (8, "\r\n"),
            (5, "\n"),
            (5, "\r"),
            (5, "\x08"),
            (4, "\t"),
            (1, "\x07"),
            (1, "\x0b"),
            (1, "\x0c"),
            (1, "\x0e"),
            (2, "\x0f"),
            (1, "\0"),
            (1, "\x7f"),
            (1, "\x05"),
            (1, "\x1c"),
        ]);
        let times = self.random.weighted(&[(6, 1), (2, 2), (1, 5)]);
        self.put(control.repeat(times));
    }

    /// A C1 control, encoded as UTF-8 as everything else is.
    fn eight_bit_control(&mut self) {
        match self.random.below(6) {
            0 => self.put("\u{84}"),
            1 => self.put("\u{85}"),
            2 => self.put("\u{88}"),
            3 => self.put("\u{8d}"),
            4 => {
                let parameters = self.count();
                let last = self.random.pick(&["A", "C", "K", "m", "H"]);
                self.put(format!("\u{9b}{parameters}{last}"));
            }
            _ => self.put("\u{9d}2;eight bits\u{9c}"),
        }
    }

    pub(super) fn cursor_move(&mut self) {
        match self.random.below(10) {
            0..=3 => self.go_anywhere(),
            4..=7 => {
                let count = self.count();
                let last = self.random.pick(&["A", "B", "C", "D", "E", "F", "a", "e"]);
                self.csi(format!("{count}{last}"));
            }
            8 => {
                let column = self.column();
                let row = self.row();
                let to = self
                    .random
                    .pick(&[format!("{column}G").as_str(), &format!("{column}`"), &format!("{row}d")])
                    .to_owned();
                self.csi(to);
            }
            _ => {
                let index = self.random.pick(&["\x1bD", "\x1bM", "\x1bE"]);
                self.put(index);
            }
        }
    }

    pub(super) fn go_to(&mut self, row: usize, column: usize) {
        self.csi(format!("{row};{column}H"));
    }

    fn go_anywhere(&mut self) {
        let (row, column) = (self.row(), self.column());
        let position = match self.random.below(10) {
            0 => "H".to_owned(),
            1 => format!("{row}H"),
            2 => format!(";{column}H"),
            3 => format!("{row};{column}f"),
            _ => format!("{row};{column}H"),
        };
        self.csi(position);
    }

    fn margins(&mut self) {
        let (a, b) = (self.row(), self.row());
        let region = match self.random.below(8) {
            0 | 1 => "r".to_owned(),
            2 => format!("{a}r"),
            3 => format!(";{b}r"),
            4 => format!("{b};{a}r"),
            _ => format!("{};{}r", a.min(b), a.max(b)),
        };
        self.csi(region);
    }

    fn tab(&mut self) {
        let count = self.count();
        match self.random.below(8) {
            0..=2 => self.put("\t"),
            3 => self.put("\x1bH"),
            4 => self.csi("g"),
            5 => self.csi("3g"),
            6 => self.csi(format!("{count}I")),
            _ => self.csi(format!("{count}Z")),
        }
    }

    fn erase(&mut self) {
        if self.random.percent(40) {
            let colour = self.random.between(40, 47);
            self.csi(format!("{colour}m"));
        }
        let selective = self.random.weighted(&[(12, ""), (1, "?")]);
        match self.random.below(12) {
            0 => self.csi(format!("{selective}J")),
            1 => {
                // In the last column ED 1 is a known fault of the oracle.
                let away = self.random.pick(&["\r", "\x1b[D", "\x1b[1G"]);
                self.put(away);
                self.csi(format!("{selective}1J"));
            }
            2 => self.csi(format!("{selective}2J")),
            3 => self.csi("3J"),
            4..=6 => self.csi(format!("{selective}K")),
            7 => self.csi(format!("{selective}1K")),
            8 => self.csi(format!("{selective}2K")),
            9 => {
                let protect = self.random.pick(&["1\"q", "0\"q", "2\"q"]);
                self.csi(protect);
            }
            _ => {
                let count = self.count();
                self.csi(format!("{count}X"));
            }
        }
    }

    fn edit(&mut self) {
        let count = self.count();
        let last = self.random.weighted(&[
            (4, "@"),
            (4, "P"),
            (4, "L"),
            (4, "M"),
            (3, "S"),
            (3, "T"),
            (1, " @"),
            (1, " A"),
            (1, "'}"),
            (1, "'~"),
        ]);
        self.csi(format!("{count}{last}"));
    }

    pub(super) fn sgr(&mut self) {
        let attributes: Vec<String> = (0..self.random.between(1, 3)).map(|_| self.attribute()).collect();
        self.csi(format!("{}m", attributes.join(";")));
    }

    fn attribute(&mut self) -> String {
        let n = self.random.below(256);
        let (r, g, b) = (self.random.below(256), self.random.below(256), self.random.below(256));
        let plane = self.random.weighted(&[(4, 38), (4, 48), (2, 58)]);
        match self.random.below(18) {
            0 | 1 => String::new(),
            2 => "0".into(),
            3 | 4 => self.random.pick(&["1", "2", "3", "4", "5", "7", "8", "9", "53"]).into(),
            5 => self
                .random
                .pick(&["21", "22", "23", "24", "25", "27", "28", "29", "39", "49", "55", "59"])
                .into(),
            6 | 7 => self.random.between(30, 37).to_string(),
            8 => self.random.between(40, 47).to_string(),
            9 => self.random.between(90, 97).to_string(),
            10 => self.random.between(100, 107).to_string(),
            11 => format!("{plane};5;{n}"),
            12 => format!("{plane};2;{r};{g};{b}"),
            13 => format!("{plane}:5:{n}"),
            14 => format!("{plane}:2::{r}:{g}:{b}"),
            15 => format!("{plane}:2:{r}:{g}:{b}"),
            16 => format!("4:{}", self.random.below(6)),
            _ => self
                .random
                .pick(&["6", "10", "26", "50", "73", "99", "108", "4;58:5:9", "4:3;58;2;1;2;3"])
                .into(),
        }
    }

    fn charset(&mut self) {
        match self.random.below(8) {
            0 | 1 => {
                self.put("\x1b(0lqqk\x1b(B");
            }
            2..=4 => {
                let slot = self.random.pick(&["(", "(", ")", "*", "+", "-", ".", "/"]);
                let set = self.random.pick(&["0", "0", "B", "B", "A", "4", "K", "<"]);
                self.put(format!("\x1b{slot}{set}"));
            }
            5 => {
                let shift = self
                    .random
                    .pick(&["\x0e", "\x0f", "\x1bn", "\x1bo", "\x1b|", "\x1b}", "\x1b~", "\x1bN", "\x1bO"]);
                self.put(shift);
            }
            6 => self.put("\x0f\x1b(B\x1b)0"),
            _ => {
                let coding = self.random.pick(&["\x1b%G", "\x1b%@"]);
                self.put(coding);
            }
        }
    }

    fn saved_cursor(&mut self) {
        let sequence = self.random.pick(&[
            "\x1b7",
            "\x1b8",
            "\x1b7",
            "\x1b8",
            "\x1b[s",
            "\x1b[u",
            "\x1b[?1048h",
            "\x1b[?1048l",
        ]);
        self.put(sequence);
    }

    fn alternate_screen(&mut self) {
        let mode = self.random.pick(&[47, 1047, 1049, 1049]);
        let last = self.random.pick(&["h", "l"]);
        self.csi(format!("?{mode}{last}"));
    }

    fn repeat(&mut self) {
        let character =
            if self.random.percent(60) { self.random.pick(&["-", "x", " "]) } else { self.odd_character() };
        let times = self.random.pick(&[
            1,
            2,
            7,
            self.cols() - 1,
            self.cols(),
            self.cols() + 3,
            self.cols() * self.rows(),
        ]);
        if self.random.percent(85) {
            self.put(character);
        }
        self.csi(format!("{times}b"));
    }

    fn screen_mode(&mut self) {
        let last = self.random.pick(&["h", "l"]);
        let mode = self.random.weighted(&[
            (4, "?6"),
            (3, "?7"),
            (2, "?45"),
            (3, "4"),
            (1, "20"),
            (3, "?25"),
            (1, "?12"),
            (1, "?5"),
            (1, "?3"),
            (2, "?2026"),
            (1, "?69"),
        ]);
        // Most programs leave wrapping on and insert mode off; streams that do not soon look all alike.
        let last = match mode {
            "?7" if self.random.percent(50) => "h",
            "4" | "20" if self.random.percent(50) => "l",
            _ => last,
        };
        self.csi(format!("{mode}{last}"));
    }

    pub(super) fn input_mode(&mut self) {
        let last = self.random.pick(&["h", "h", "l"]);
        let mode = self.random.pick(&[
            "?1",
            "?9",
            "?66",
            "?1000",
            "?1002",
            "?1003",
            "?1004",
            "?1005",
            "?1006",
            "?1007",
            "?1015",
            "?1016",
            "?1034",
            "?1036",
            "?1039",
            "?2004",
            "?2031",
            "?2048",
            "?1000;1002;1006",
            "?1003;1006",
            "?2004;1004",
        ]);
        match self.random.below(8) {
            0 => self.put("\x1b="),
            1 => self.put("\x1b>"),
            _ => self.csi(format!("{mode}{last}")),
        }
    }

    fn unknown_mode(&mut self) {
        let last = self.random.pick(&["h", "l"]);
        let mode = self
            .random
            .pick(&["?7727", "?8452", "?12345", "?80", "?1070", "?9001", "?1243", "2", "12", "34", "?7;99"]);
        self.csi(format!("{mode}{last}"));
    }

    pub(super) fn cursor_style(&mut self) {
        let style = self.random.pick(&["", "0", "1", "2", "3", "4", "5", "6"]);
        self.csi(format!("{style} q"));
    }

    pub(super) fn title(&mut self) {
        let kind = self.random.pick(&["0", "1", "2", "2"]);
        let title =
            self.random.pick(&["", "vim", "~/src — bash", "⠂ working; 3/4", "a;b;c", "漢字", "x y z"]);
        match self.random.below(8) {
            0 => self.csi("22;0t"),
            1 => self.csi("23;0t"),
            2 => {
                let sequence = self
                    .random
                    .pick(&["22;2t", "23;2t", "22t", "23t", "22;1t", "23;1t", "22;0;0t", "23;0;0t"]);
                self.csi(sequence);
            }
            3 => {
                let length = self.random.between(50, 300);
                self.osc(format!("{kind};{}", "long title ".repeat(length / 11)));
            }
            _ => self.osc(format!("{kind};{title}")),
        }
    }

    pub(super) fn colours(&mut self) {
        let index = self.random.weighted(&[(4, 1), (4, 7), (2, 15), (2, 200), (1, 255), (1, 256), (1, 999)]);
        let colour = self.random.pick(&[
            "#123456",
            "rgb:12/34/56",
            "rgb:1212/3434/5656",
            "#abc",
            "red",
            "#112233445566",
            "rgb:f/0/f",
            "nonsense",
            "#12",
        ]);
        let special = self.random.pick(&[10, 11, 12]);
        match self.random.below(9) {
            0..=2 => self.osc(format!("4;{index};{colour}")),
            3 => self.osc(format!("4;1;#010203;2;{colour};{index};#0a0b0c")),
            4 => self.osc("104"),
            5 => self.osc(format!("104;{index}")),
            6 | 7 => self.osc(format!("{special};{colour}")),
            _ => {
                let which = self.random.pick(&[
                    "110",
                    "111",
                    "112",
                    "10;#111111;#222222;#333333",
                    "17;#123456",
                    "19;#123456",
                ]);
                self.osc(which);
            }
        }
    }

    pub(super) fn link(&mut self) {
        match self.random.below(6) {
            0 | 1 => {
                self.osc("8;;https://example.com/a?b=c;d");
                self.words();
                self.osc("8;;");
            }
            2 => {
                self.osc("8;id=one;https://example.com/one");
                self.words();
            }
            3 => self.osc("8;key=value:id=two;file:///tmp/two"),
            4 => self.osc("8;id=ignored;"),
            _ => self.osc("8;;"),
        }
    }

    /// Things a program tells about itself, which no screen shows.
    pub(super) fn report(&mut self) {
        let report = self.random.pick(&[
            "7;file://host/home/user/src",
            "7;",
            "133;A",
            "133;B",
            "133;C",
            "133;D;0",
            "133;D;130",
            "133;A;cl=m;aid=7",
            "9;a notification",
            "9;4;1;40",
            "9;4;0",
            "777;notify;title;body",
            "99;i=1:d=0;hello",
            "7501;state=working:msg=aGVsbG8=",
            "7501;state=idle",
            "1337;SetMark",
            "52;c;aGVsbG8=",
            "22;pointer",
            "66;s=2;big",
            "5555;unknown",
            "L;letters",
            "",
        ]);
        self.osc(report);
    }

    pub(super) fn keyboard(&mut self) {
        let flags = self.random.below(32);
        let sequence = match self.random.below(10) {
            0..=2 => format!(">{flags}u"),
            3 => ">u".into(),
            4 => "<u".into(),
            5 => format!("<{}u", self.random.pick(&[0, 1, 2, 40])),
            6 => format!("={flags};{}u", self.random.between(1, 3)),
            7 => format!("={flags}u"),
            8 => self.random.pick(&[">4;1m", ">4;2m", ">4;0m", ">4m", ">4n", ">m", ">1;1m"]).into(),
            _ => self.random.pick(&[">5u", "<u"]).into(),
        };
        self.csi(sequence);
    }

    pub(super) fn query(&mut self) {
        let query = self.random.pick(&[
            "\x1b[c",
            "\x1b[0c",
            "\x1b[>c",
            "\x1b[=c",
            "\x1b[5n",
            "\x1b[6n",
            "\x1b[?6n",
            "\x1b[>q",
            "\x1b[?2026$p",
            "\x1b[?1$p",
            "\x1b[4$p",
            "\x1b[?996n",
            "\x1b[14t",
            "\x1b[16t",
            "\x1b[18t",
            "\x1b[?u",
            "\x1b[?4m",
            "\x1bP$qm\x1b\\",
            "\x1bP$qr\x1b\\",
            "\x1bP$q q\x1b\\",
            "\x1bP+q544e\x1b\\",
            "\x1b]10;?\x07",
            "\x1b]11;?\x1b\\",
            "\x1b]4;1;?\x07",
            "\x1b]7501;?\x07",
        ]);
        self.put(query);
    }

    /// Strings for other protocols, which the screen must swallow whole.
    fn foreign_string(&mut self) {
        let string = self.random.pick(&[
            "\x1bPq#0;2;0;0;0#0~~@@vv@@~~$-\x1b\\",
            "\x1bPtmux;\x1b\x1b]2;through\x07\x1b\\",
            "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
            "\x1b^private 漢字 message\x1b\\",
            "\x1bXstart of string\x1b\\",
            "\x1bP1;2|abc\x1b\\",
            "\u{90}q~~\u{9c}",
            "\u{9f}application\u{9c}",
        ]);
        self.put(string);
    }

    fn reset(&mut self) {
        let sequence = self.random.weighted(&[
            (3, "\x1b[!p"),
            (2, "\x1b#8"),
            (1, "\x1bc"),
            (1, "\x1b[?2h"),
            (1, "\x1b#5"),
            (1, "\x1b[61\"p"),
        ]);
        self.put(sequence);
    }

    fn lines(&mut self) {
        for _ in 0..self.random.between(1, self.rows() * 2) {
            self.words();
            self.put("\r\n");
        }
    }
}
