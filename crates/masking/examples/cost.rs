//! What masking costs: CPU seconds for each gigabyte of output.
//!
//! `cargo run --release -p masking --example cost [FILE…]`: of files of terminal output, or of some made up. The
//! variable `KIND` names one of those. On a machine that is busy, count instructions instead:
//! `KIND=log BYTES=1 valgrind --tool=callgrind --toggle-collect='*Masker*feed*' …`, for 4 MiB.

use std::fmt::Write as _;
use std::sync::Arc;

use masking::{Masker, Rules};
use model::TermSize;
use testkit::{Profile, Random, StreamGen};

/// So much of each kind is masked unless the variable `BYTES` says otherwise, in chunks as large as a reader gets them.
const BYTES: usize = 64 << 20;
const CHUNK: usize = 64 << 10;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let before = cpu_ns();
    let rules = Arc::new(Rules::builtin());
    println!("rules        {:6.2} ms", (cpu_ns() - before) as f64 / 1e6);
    let size = TermSize::clamped(120, 40);
    if files.is_empty() {
        for (name, make) in KINDS {
            let only = std::env::var("KIND").is_ok_and(|kind| kind != name);
            if !only {
                report(name, &rules, size, &make());
            }
        }
    }
    for file in files {
        match std::fs::read(&file) {
            Ok(bytes) => report(&file, &rules, size, &bytes),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
}

fn report(name: &str, rules: &Arc<Rules>, size: TermSize, bytes: &[u8]) {
    let mut masker = Masker::new(rules.clone(), size);
    let wanted = std::env::var("BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(BYTES);
    let rounds = (wanted / bytes.len().max(1)).max(1);
    let mut masks = 0;
    let before = cpu_ns();
    for _ in 0..rounds {
        for chunk in bytes.chunks(CHUNK) {
            masker.feed(chunk);
            masks += masker.take_masks().len();
        }
    }
    masker.look();
    let seconds = (cpu_ns() - before) as f64 / 1e9;
    let fed = masker.position() as f64;
    let looked_at = masker.columns_looked_at() as f64 / fed;
    println!(
        "{name:12} {:6.2} s/GB   {looked_at:5.2} columns looked at for each byte, {masks} masks",
        seconds / fed * 1e9
    );
}

/// CPU time of this thread, as the kernel counts it.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

type Make = fn() -> Vec<u8>;

const KINDS: [(&str, Make); 11] = [
    ("log", log),
    ("work", work),
    ("compiler", compiler),
    ("code", code),
    ("agent", agent),
    ("source", source),
    ("base64", base64),
    ("shell", || generated(Profile::Shell)),
    ("editor", || generated(Profile::Editor)),
    ("interface", || generated(Profile::Interface)),
    ("flood", || generated(Profile::Flood)),
];

fn generated(profile: Profile) -> Vec<u8> {
    StreamGen::new(7).like(profile).sized(TermSize::clamped(120, 40)).long(4 << 20).bytes()
}

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
fn log() -> Vec<u8> {
    let mut random = Random::new(1);
    let mut text = String::new();
    while text.len() < 4 << 20 {
        let (ms, count) = (random.below(1000), random.between(6, 16));
        let _ = write!(
            text,
            "2026-11-16T11:33:49.{ms:03}Z INFO server::http: {} id={:016x}",
            words(&mut random, count),
            random.number()
        );
        if random.percent(3) {
            text += " token refreshed";
        }
        text += "\r\n";
    }
    text.into_bytes()
}

/// As of a day of work: logs, builds in colour, diffs and listings.
fn work() -> Vec<u8> {
    let mut random = Random::new(6);
    let mut text = String::new();
    while text.len() < 4 << 20 {
        let (number, count) = (random.below(100_000), random.between(4, 14));
        let words = words(&mut random, count);
        let _ = match random.below(5) {
            0 => write!(text, "2026-01-31T03:00:00Z INFO {words} id={:016x}\r\n", random.number()),
            1 => write!(text, "\x1b[1m\x1b[32m   Compiling\x1b[0m {words} v0.{}.1\r\n", number % 50),
            2 => write!(text, "\x1b[31m-    {words}\x1b[m\r\n\x1b[32m+    {words} {number}\x1b[m\r\n"),
            3 => {
                write!(text, "-rw-r--r-- 1 user user {number:8} Jan 31 03:00 {}\r\n", words.replace(' ', "_"))
            }
            _ => write!(text, "{words}: {number}\r\n"),
        };
    }
    text.into_bytes()
}

/// Coloured diagnostics.
fn compiler() -> Vec<u8> {
    let mut random = Random::new(2);
    let mut text = String::new();
    while text.len() < 4 << 20 {
        let (line, count) = (random.below(900), random.between(3, 9));
        let _ = write!(
            text,
            "\x1b[1m\x1b[32m   Compiling\x1b[0m {0} v0.{line}.1\r\n\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[0m\x1b[1m: {0}\x1b[0m\r\n\
             \x1b[0m  \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m--> \x1b[0m\x1b[0msrc/parser.rs:{line}:9\x1b[0m\r\n\
             \x1b[0m\x1b[1m\x1b[38;5;12m{line}\x1b[0m\x1b[0m \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m| \x1b[0m\x1b[0m        let {1} = self.next_token();\x1b[0m\r\n",
            words(&mut random, count),
            random.pick(&WORDS),
        );
    }
    text.into_bytes()
}

/// Ordinary source code, in colours.
fn code() -> Vec<u8> {
    let plain = [include_str!("../src/parser.rs"), include_str!("../src/shadow/control.rs")].concat();
    let mut text = String::new();
    while text.len() < 4 << 20 {
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
    }
    text.into_bytes()
}

/// Frames of an agent: a few lines of text, a box and a status line, drawn again and again.
fn agent() -> Vec<u8> {
    let mut random = Random::new(3);
    let mut text = String::new();
    let rule = "─".repeat(118);
    let mut tokens = 0;
    while text.len() < 4 << 20 {
        let count = random.between(8, 15);
        let _ = write!(text, "\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G");
        let _ = write!(text, "\x1b[38;2;215;119;87m⏺\x1b[39m {}\r\n", words(&mut random, count));
        tokens += random.below(40);
        let spinner = random.pick(&["✻", "✽", "✶", "✳"]);
        let _ = write!(
            text,
            "\x1b[38;5;174m{spinner} Thinking… \x1b[39m\x1b[2m({}s · ↑ {tokens} tokens · esc to interrupt)\x1b[22m\r\n\
             \x1b[2m╭{rule}╮\x1b[22m\r\n\x1b[2m│\x1b[22m > {:114} \x1b[2m│\x1b[22m\r\n\x1b[2m╰{rule}╯\x1b[22m\r\n",
            tokens / 40,
            words(&mut random, 5),
        );
    }
    text.into_bytes()
}

/// Source code about tokens and passwords, in colours, as an agent or a pager shows it.
fn source() -> Vec<u8> {
    let lines = [
        "\x1b[34mfn\x1b[0m \x1b[33mcheck\x1b[0m(password: &\x1b[36mstr\x1b[0m, token: &Token) -> \x1b[36mbool\x1b[0m {",
        "    \x1b[34mlet\x1b[0m secret = self.secrets.get(&token.key).unwrap_or_default();",
        "    \x1b[35mif\x1b[0m token.expires < now { \x1b[35mreturn\x1b[0m Err(AuthError::Expired { token: token.id }); }",
        "    api_key: config.api_key.clone(), password: String::new(), url: \"https://example.org/\".into(),",
        "}",
        "\x1b[32m+    let tokens: Vec<Token> = tokenize(&source);\x1b[0m",
        "",
    ];
    let mut random = Random::new(4);
    let mut text = String::new();
    while text.len() < 4 << 20 {
        text += random.pick(&lines);
        text += "\r\n";
    }
    text.into_bytes()
}

/// One long line without spaces.
fn base64() -> Vec<u8> {
    let mut random = Random::new(5);
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..4 << 20).map(|_| alphabet[random.below(64)]).collect()
}
