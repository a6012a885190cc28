//! Output of a day of work, a piece at a time.

use std::fmt::Write as _;

use testkit::Random;

const WORDS: [&str; 24] = [
    "request",
    "served",
    "connection",
    "from",
    "cache",
    "miss",
    "worker",
    "started",
    "user",
    "session",
    "in",
    "ms",
    "database",
    "query",
    "took",
    "rows",
    "the",
    "index",
    "rebuilt",
    "for",
    "table",
    "orders",
    "and",
    "done",
];

fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| random.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// Plain lines with times, as servers write them; now and then with a word that a secret could be near to.
pub(super) fn log(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let mut text = String::new();
    let (ms, count) = (random.below(1000), random.between(6, 16));
    let _ = write!(
        text,
        "2026-11-16T11:33:49.{ms:03}Z INFO server::http: {} id={:016x}",
        words(random, count),
        random.number()
    );
    if random.percent(3) {
        text += " token refreshed";
    }
    text += "\r\n";
    out.extend(text.bytes());
}

/// As of a day of work: logs, builds in colour, diffs and listings.
pub(super) fn mix(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let mut text = String::new();
    let (number, count) = (random.below(100_000), random.between(4, 14));
    let words = words(random, count);
    let _ = match random.below(5) {
        0 => write!(text, "2026-01-31T03:00:00Z INFO {words} id={:016x}\r\n", random.number()),
        1 => write!(text, "\x1b[1m\x1b[32m   Compiling\x1b[0m {words} v0.{}.1\r\n", number % 50),
        2 => write!(text, "\x1b[31m-    {words}\x1b[m\r\n\x1b[32m+    {words} {number}\x1b[m\r\n"),
        3 => {
            write!(text, "-rw-r--r-- 1 user user {number:8} Jan 31 03:00 {}\r\n", words.replace(' ', "_"))
        }
        _ => write!(text, "{words}: {number}\r\n"),
    };
    out.extend(text.bytes());
}

/// Coloured diagnostics.
pub(super) fn compiler(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let mut text = String::new();
    let (line, count) = (random.below(900), random.between(3, 9));
    let _ = write!(
        text,
        "\x1b[1m\x1b[32m   Compiling\x1b[0m {0} v0.{line}.1\r\n\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[0m\x1b[1m: {0}\x1b[0m\r\n\
         \x1b[0m  \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m--> \x1b[0m\x1b[0msrc/parser.rs:{line}:9\x1b[0m\r\n\
         \x1b[0m\x1b[1m\x1b[38;5;12m{line}\x1b[0m\x1b[0m \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m| \x1b[0m\x1b[0m        let {1} = self.next_token();\x1b[0m\r\n",
        words(random, count),
        random.pick(&WORDS),
    );
    out.extend(text.bytes());
}

/// Ordinary source code, in colours.
pub(super) fn code(out: &mut Vec<u8>, _random: &mut Random, _number: usize) {
    let plain = include_str!("termbench.rs");
    let mut text = String::new();
    for (number, line) in plain.lines().enumerate() {
        let _ = write!(text, "\x1b[2m{number:5}\x1b[0m ");
        for word in line.split_inclusive(' ') {
            let _ = match word.trim_end() {
                "fn" | "let" | "match" | "if" | "self" | "while" => write!(text, "\x1b[34m{word}\x1b[0m"),
                _ if word.starts_with(char::is_uppercase) => write!(text, "\x1b[38;5;80m{word}\x1b[0m"),
                _ => write!(text, "{word}"),
            };
        }
        text += "\r\n";
    }
    out.extend(text.bytes());
}

/// Frames of an agent: a few lines of text, a box and a status line, drawn again and again.
pub(super) fn frames(out: &mut Vec<u8>, random: &mut Random, number: usize) {
    let mut text = String::new();
    let rule = "─".repeat(118);
    let count = random.between(8, 15);
    let _ = write!(text, "\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G");
    let _ = write!(text, "\x1b[38;2;215;119;87m⏺\x1b[39m {}\r\n", words(random, count));
    let tokens = 20 * number + random.below(20);
    let spinner = random.pick(&["✻", "✽", "✶", "✳"]);
    let _ = write!(
        text,
        "\x1b[38;5;174m{spinner} Thinking… \x1b[39m\x1b[2m({}s · ↑ {tokens} tokens · esc to interrupt)\x1b[22m\r\n\
         \x1b[2m╭{rule}╮\x1b[22m\r\n\x1b[2m│\x1b[22m > {:114} \x1b[2m│\x1b[22m\r\n\x1b[2m╰{rule}╯\x1b[22m\r\n",
        tokens / 40,
        words(random, 5),
    );
    out.extend(text.bytes());
}

/// Source code about tokens and passwords, in colours, as an agent or a pager shows it.
pub(super) fn source(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let lines = [
        "\x1b[34mfn\x1b[0m \x1b[33mcheck\x1b[0m(password: &\x1b[36mstr\x1b[0m, token: &Token) -> \x1b[36mbool\x1b[0m {",
        "    \x1b[34mlet\x1b[0m secret = self.secrets.get(&token.key).unwrap_or_default();",
        "    \x1b[35mif\x1b[0m token.expires < now { \x1b[35mreturn\x1b[0m Err(AuthError::Expired { token: token.id }); }",
        "    api_key: config.api_key.clone(), password: String::new(), url: \"https://example.org/\".into(),",
        "}",
        "\x1b[32m+    let tokens: Vec<Token> = tokenize(&source);\x1b[0m",
        "",
    ];
    out.extend(random.pick(&lines).bytes().chain(*b"\r\n"));
}

/// One long line without spaces.
pub(super) fn base64(out: &mut Vec<u8>, random: &mut Random, _number: usize) {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.push(alphabet[random.below(64)]);
}
