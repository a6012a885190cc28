//! What programs print: words and every awkward kind of character.

use super::Writer;

const WORDS: &[&str] = &[
    "the",
    "quick",
    "brown",
    "fox",
    "error:",
    "src/main.rs",
    "0x7fff",
    "=>",
    "--help",
    "jumps",
    "over",
    "[INFO]",
    "lazy",
    "dog.",
    "a",
    "I",
    "100%",
    "~/.config",
    "fn",
    "main()",
    "{",
    "}",
    "\"text\"",
    "1,234.56",
    "x",
    "#!/bin/sh",
];
const WIDE: &[&str] = &["漢", "字", "한", "글", "あ", "ア", "。", "Ａ", "￥", "𠀀", "㍿", "〒"];
const COMBINING: &[&str] = &[
    "e\u{301}",
    "a\u{308}\u{304}",
    "n\u{303}",
    "漢\u{3099}",
    "\u{301}",
    "o\u{336}",
    "ก\u{e33}",
    "ம\u{bbf}",
    "क\u{94d}ष",
    "ש\u{5b8}",
    " \u{301}",
    "x\u{20dd}",
    "\u{1112}\u{1161}\u{11ab}",
    "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}",
];
const EMOJI: &[&str] = &[
    "😀",
    "🎉",
    "👍🏽",
    "👨\u{200d}👩\u{200d}👧",
    "🏳\u{fe0f}\u{200d}🌈",
    "🇩🇪",
    "🇺",
    "❤\u{fe0f}",
    "❤",
    "☎\u{fe0e}",
    "1\u{fe0f}\u{20e3}",
    "✔",
    "⚡",
    "⌚",
    "🧑🏿\u{200d}💻",
    "\u{1f3fb}",
    "⏩",
    "♀",
    "🫠",
    "🪿",
];
const BOX: &[&str] =
    &["─", "│", "┌", "┐", "└", "┘", "├", "┼", "═", "║", "█", "▌", "░", "▒", "⠋", "⠙", "●", "❯", "✓"];
const OTHER: &[&str] = &[
    "é",
    "ß",
    "Ж",
    "λ",
    "ע",
    "ع",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{2028}",
    "\u{fffd}",
    "\u{e0b0}",
    "€",
    "…",
    "“",
    "”",
    "\u{a0}",
    "\u{3000}",
    "\u{2060}",
    "\u{202e}",
    "\u{fe0f}",
    "\u{115f}",
    "\u{f0001}",
    "\u{10fffd}",
    "\u{e0061}",
];

impl Writer {
    /// One character of an awkward kind.
    pub(super) fn odd_character(&mut self) -> &'static str {
        let kind = self.random.weighted(&[(5, WIDE), (4, COMBINING), (4, EMOJI), (4, BOX), (3, OTHER)]);
        self.random.pick(kind)
    }

    /// A few words, one line or less.
    pub(super) fn words(&mut self) {
        let plain = self.random.percent(70);
        for i in 0..self.random.between(1, 6) {
            if i > 0 {
                self.put(" ");
            }
            let word =
                if plain || self.random.percent(60) { self.random.pick(WORDS) } else { self.odd_character() };
            self.put(word);
        }
    }

    /// A run of awkward characters.
    pub(super) fn odd_text(&mut self) {
        for _ in 0..self.random.between(1, 8) {
            let character = self.odd_character();
            self.put(character);
        }
    }

    /// Text about as wide as the screen, or several times as wide.
    pub(super) fn long_line(&mut self) {
        let goal = match self.random.below(5) {
            0 => self.cols() - 1,
            1 => self.cols(),
            2 => self.cols() + 1,
            3 => self.cols() * 2,
            _ => self.random.between(self.cols(), self.cols() * 4),
        };
        let oddness = self.random.pick(&[0, 0, 5, 40]);
        let mut characters = 0;
        while characters < goal {
            if self.random.percent(oddness) {
                let character = self.odd_character();
                self.put(character);
                characters += 1;
            } else {
                let letter = b'a' + (characters % 26) as u8;
                self.put([letter]);
                characters += 1;
            }
        }
    }

    /// A horizontal line of one box character, exactly as wide as the screen or as asked.
    pub(super) fn rule(&mut self, width: usize) {
        let character = self.random.pick(BOX);
        self.put(character.repeat(width));
    }
}
