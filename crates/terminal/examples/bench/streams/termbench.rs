//! The streams of termbench, our benchmark of whole systems, as a terminal sees them: the PTY has turned each `\n` into
//! `\r\n`.

use std::path::Path;

use testkit::Random;

use super::USUAL;

const WORDS: [&str; 20] = [
    "lorem",
    "ipsum",
    "dolor",
    "sit",
    "amet",
    "error:",
    "warning",
    "src/main.rs",
    "fn",
    "let",
    "0x7fff",
    "compile",
    "Finished",
    "in",
    "12.3s",
    "kernel",
    "[ok]",
    "GET",
    "/index.html",
    "200",
];

const SCRIPTS: [&str; 7] = [
    "你好世界终端会话持久性能测试漢字",
    "こんにちはターミナル",
    "안녕하세요세계",
    "éàüöñçßøåλπΩжяшю",
    "😀🚀🎉🔥👍🏽👩‍💻🇩🇪❤️",
    "─│┌┐└┘├┤┬┴┼═║╔╗╚╝█▓▒░",
    "abcdefghij 0123456789 ",
];

const AGENTS: [&str; 4] =
    ["agent-claude-2.1.325", "agent-codex-0.166.0", "agent-gemini-0.61.0", "agent-opencode-1.18.33"];

fn words(random: &mut Random, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| random.pick(&WORDS)).collect();
    words.join(" ")
}

/// A line of a log.
pub(super) fn log_line(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let count = random.between(3, 16);
    let mut line = words(random, count);
    line.truncate(116);
    out.extend(line.bytes().chain(*b"\r\n"));
}

/// A line with a colour or attribute for each word.
pub(super) fn coloured_line(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    for _ in 0..random.between(3, 12) {
        let mut byte = || random.below(256);
        let sgr = match byte() % 6 {
            0 => format!("1;3{}", byte() % 8),
            1 => format!("38;5;{}", byte()),
            2 => format!("38;2;{};{};{}", byte(), byte(), byte()),
            3 => format!("48;5;{}", byte()),
            4 => "4".to_owned(),
            _ => "7".to_owned(),
        };
        out.extend(format!("\x1b[{sgr}m{}\x1b[0m ", random.pick(&WORDS)).bytes());
    }
    out.extend(b"\r\n");
}

/// A line of many scripts, emoji and box drawing.
pub(super) fn line_of_many_scripts(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let mut line = Vec::new();
    for _ in 0..random.between(3, 8) {
        let script: Vec<char> = random.pick(&SCRIPTS).chars().collect();
        line.extend((0..random.between(2, 10)).map(|_| random.pick(&script)));
    }
    let line: String = line.into_iter().take(58).collect();
    out.extend(line.bytes().chain(*b"\r\n"));
}

/// A full-screen frame, each row addressed, synchronized.
pub(super) fn full_screen_frame(out: &mut Vec<u8>, random: &mut Random, frame: usize) {
    let rows = usize::from(USUAL.1);
    let mut put = |text: String| out.extend(text.bytes());
    put("\x1b[?2026h\x1b[?25l\x1b[H".to_owned());
    for row in 1..rows - 2 {
        put(format!("\x1b[{row};1H\x1b[2K\x1b[38;5;{}m", 16 + (row + frame) % 200));
        if row == 1 || row == rows - 3 {
            put(format!("╭{}╮", "─".repeat(100)));
        } else {
            let mut text = format!("{:5} {}", frame * 37 + row, words(random, 9));
            text.truncate(90);
            let (bold, plain) = text.split_at(20);
            put(format!("│\x1b[1m{bold}\x1b[22m\x1b[39m{plain}\x1b[{row};102H│"));
        }
    }
    put(format!("\x1b[{};{}H\x1b[?25h\x1b[?2026l", rows - 4, 5 + frame % 60));
}

/// A full screen with colours and attributes of its own for every cell.
pub(super) fn dense_screen(out: &mut Vec<u8>, _random: &mut Random, frame: usize) {
    let (cols, rows) = (usize::from(USUAL.0), usize::from(USUAL.1));
    let letter = char::from(b'A' + (frame % 26) as u8);
    out.extend(b"\x1b[H");
    for row in 1..rows - 2 {
        for col in 1..cols - 3 {
            let shade = (row + col + frame) % 156;
            out.extend(format!("\x1b[38;5;{};48;5;{};1;3;4m{letter}", 100 + shade, 255 - shade).bytes());
        }
        out.extend(b"\r\n");
    }
}

/// Recordings of four coding agents, one after the other.
pub(super) fn agents(out: &mut Vec<u8>, _random: &mut Random, _number: usize) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded");
    for agent in AGENTS {
        let path = recorded.join(agent).with_added_extension("vt");
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        out.extend(b"\x1bc");
        out.extend(bytes);
    }
}
