//! What broken programs and broken pipes send.

use super::Writer;

impl Writer {
    /// Something unfinished, malformed or not UTF-8.
    pub(super) fn fault(&mut self) {
        match self.random.below(8) {
            0 => self.unfinished(),
            1 => self.aborted(),
            2 => self.malformed(),
            3 | 4 => self.bad_utf8(),
            5 => self.controls_inside(),
            6 => self.many_parameters(),
            _ => self.noise(),
        }
    }

    fn unfinished(&mut self) {
        let start = self.random.pick(&[
            "\x1b",
            "\x1b[",
            "\x1b[3",
            "\x1b[?25",
            "\x1b[38;2;1",
            "\x1b]",
            "\x1b]2;half",
            "\x1bP",
            "\x1bP$q",
            "\x1b(",
            "\x1b#",
            "\x1b_G",
            "\x1b[ ",
            "\u{9b}4",
        ]);
        self.put(start);
    }

    fn aborted(&mut self) {
        self.unfinished();
        let end = self.random.pick(&["\x18", "\x1a", "\x1b", "\x1b\\", "\u{9c}", "\x07"]);
        self.put(end);
    }

    fn malformed(&mut self) {
        let sequence = self.random.pick(&[
            "\x1b[1;2",
            "\x1b[?;h",
            "\x1b[;;;m",
            "\x1b[:m",
            "\x1b[38:m",
            "\x1b[38;5m",
            "\x1b[48;2;1;2m",
            "\x1b[4:9m",
            "\x1b[4:m",
            "\x1b[38:2:300:-1:5m",
            "\x1b[1:2:3H",
            "\x1b[5:5;5:5H",
            "\x1b[?1?2h",
            "\x1b[1<2h",
            "\x1b[>1;2;3z",
            "\x1b[99999999999999999999C",
            "\x1b[1$2m",
            "\x1b[!!p",
            "\x1b[ $q",
            "\x1b]\x07",
            "\x1b];\x07",
            "\x1b]2\x07",
            "\x1b]4;1\x07",
            "\x1b]4;;#111111\x07",
            "\x1b]8;\x07",
            "\x1b]8\x07",
            "\x1b]10\x07",
            "\x1b]0002;zeros\x07",
            "\x1b]2;a\nb\tc\x07",
            "\x1b]2;\u{85}\u{9b}31m\x07",
            "\x1b((0",
            "\x1b(\r0",
            "\x1b\x1b[31m",
            "\x1b[\x1b[32m",
            "\x1b[31\x7fm",
            "\x1b[é31m",
            "\x1b漢",
        ]);
        self.put(sequence);
    }

    fn bad_utf8(&mut self) {
        let bytes: &[u8] = self.random.pick::<&[u8]>(&[
            b"\x80",
            b"\xbf\xbf",
            b"\xc0\x80",
            b"\xc1\xbf",
            b"\xc3",
            b"\xe2\x82",
            b"\xe2",
            b"\xf0\x9f\x98",
            b"\xf0\x9f",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80",
            b"\xfe",
            b"\xff\xff",
            b"\xe0\x80\x80",
            b"\xf0\x80\x80\x80",
            b"\xe6\xbc\x1b[31m",
            b"\xc3\x28",
            b"\xef\xbf\xbe",
            b"\xef\xbf\xbf",
        ]);
        self.put(bytes);
    }

    fn controls_inside(&mut self) {
        let control = self.random.pick(&["\r", "\n", "\t", "\x08", "\x0e", "\0", "\x7f", "\x07"]);
        let sequence = self.random.pick(&[
            ["\x1b[3", "1m"],
            ["\x1b[", "5C"],
            ["\x1b", "[K"],
            ["\x1b[?2", "5h"],
            ["\x1b(", "0"],
            ["\x1b[1 ", "q"],
        ]);
        self.put(sequence[0]);
        self.put(control);
        self.put(sequence[1]);
    }

    fn many_parameters(&mut self) {
        let separator = self.random.pick(&[";", ":", ";1;"]);
        let count = self.random.between(20, 50);
        let last = self.random.pick(&["m", "H", "h", "r", "J"]);
        let parameters: Vec<String> =
            (0..count).map(|i| if i % 3 == 0 { String::new() } else { (i % 9).to_string() }).collect();
        // ED 1 in the last column is a known fault of the oracle.
        let first = if last == "J" { "2;" } else { "" };
        self.csi(format!("{first}{}{last}", parameters.join(separator)));
    }

    fn noise(&mut self) {
        for _ in 0..self.random.between(1, 20) {
            let byte = match self.random.below(4) {
                0 => self.random.number() as u8,
                1 => self.random.pick(b"\x1b[]P?;:\"' \x9b$!>=<"),
                _ => self.random.between(0x20, 0x7e) as u8,
            };
            self.put([byte]);
        }
    }
}
