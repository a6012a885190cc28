//! What a hostile program may try: to fill our memory, to type by our answers, to choose our size.

use std::fmt::Write;

use model::TermSize;
use terminal::{HistoryLimit, Terminal};
use testkit::{CountingAllocator, Random, StreamGen, heap_of};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const HISTORY: HistoryLimit = HistoryLimit { lines: 10_000, bytes: 2 << 20 };

/// The memory that a terminal of the usual size may take besides its history, with any input.
const BESIDES_HISTORY: usize = 4 << 20;

const MIB: usize = 1 << 20;

fn terminal() -> Terminal {
    Terminal::new(TermSize::clamped(80, 24), HISTORY)
}

fn shown(terminal: &Terminal) -> String {
    terminal.text(0)
}

/// Feeds the output of `piece` until it is that many bytes. The caller takes no replies or signals meanwhile.
#[track_caller]
fn check_memory(bytes: usize, mut piece: impl FnMut(&mut String, usize)) {
    let (_, heap) = heap_of(|| {
        let mut terminal = terminal();
        let mut text = String::new();
        let mut fed = 0;
        for number in 0.. {
            text.clear();
            piece(&mut text, number);
            terminal.feed(text.as_bytes());
            fed += text.len();
            if fed >= bytes {
                break;
            }
        }
        terminal
    });
    let allowed = HISTORY.bytes + BESIDES_HISTORY;
    assert!(heap.peak <= allowed, "{} bytes at most, allowed are {allowed}", heap.peak);
}

#[test]
fn s25_true_colours_take_bounded_memory() {
    let mut random = Random::new(1);
    check_memory(4 * MIB, |out, _| {
        let mut byte = || random.below(256);
        let _ = write!(out, "\x1b[38;2;{};{};{}mx", byte(), byte(), byte());
    });
}

#[test]
fn s25_links_take_bounded_memory() {
    let address = "y".repeat(4000);
    check_memory(12 * MIB, |out, number| {
        let _ = write!(out, "\x1b]8;;http://{number}/{address}\x07x\x1b[H");
    });
}

#[test]
fn s25_links_in_the_history_take_bounded_memory() {
    let address = "y".repeat(4000);
    check_memory(12 * MIB, |out, number| {
        let _ = write!(out, "\x1b]8;id={number};http://{address}\x07x\r\n");
    });
}

#[test]
fn s25_marks_on_characters_take_bounded_memory() {
    let mut random = Random::new(1);
    check_memory(MIB, |out, _| {
        out.push('e');
        out.extend((0..80).map(|_| char::from_u32(0x300 + random.below(100) as u32).unwrap_or('\u{301}')));
    });
}

#[test]
fn s25_replies_and_signals_that_are_not_fetched_are_dropped() {
    let text = "t".repeat(60_000);
    check_memory(4 * MIB, |out, number| {
        let _ = write!(
            out,
            "\x1b[c\x1b[>q\x1b[6n\x1b[14t\x07\x1b]777;notify;{number}{text};{text}\x07\x1b]9;{text}\x07"
        );
    });
    check_memory(4 * MIB, |out, number| {
        let _ = write!(out, "\x1b]0;{number}{text}\x07\x1b]7;{number}{text}\x07\x1b[22t");
    });
    check_memory(4 * MIB, |out, number| {
        let _ = write!(
            out,
            "\x1b]99;i={number}:d=0;{text}\x07\x1b]7501;state=idle:id={number}:msg={}\x07",
            &text[..1000]
        );
    });
    check_memory(MIB, |out, number| {
        let _ = write!(out, "\x1b[?{number}h\x1b[>{number}u\x1b]4;{};#123456\x07\x1bH\x1b7", number % 256);
    });
}

#[test]
fn o1_one_endless_line_stays_bounded() {
    check_memory(16 * MIB, |out, _| out.push_str("abcdefghijklmnopqrstuvwxyz"));
    check_memory(4 * MIB, |out, _| out.push_str("漢字"));
}

#[test]
fn o1_an_unterminated_string_stays_bounded() {
    for introducer in
        ["\x1b]", "\x1b]2;", "\x1b]8;;", "\x1bP", "\x1bP$q", "\x1b_", "\x1b^", "\x1bX", "\x1b[", "\x1b"]
    {
        let (mut terminal, heap) = heap_of(|| {
            let mut terminal = terminal();
            terminal.feed(introducer.as_bytes());
            let endless = if introducer == "\x1b[" { b"1;2:3;" } else { b"( ### " };
            (0..100_000).for_each(|_| terminal.feed(endless));
            terminal
        });
        assert!(heap.peak < MIB, "{introducer:?} took {} bytes", heap.peak);
        terminal.feed(b"\x18\x1bcback again");
        assert_eq!(shown(&terminal), "back again\n", "after {introducer:?}");
    }
}

#[test]
fn s27_sizes_are_clamped() {
    for (cols, rows) in [(0, 0), (1, 1), (u16::MAX, u16::MAX), (u16::MAX, 0), (0, u16::MAX)] {
        let size = TermSize::clamped(cols, rows);
        assert!((2..=1000).contains(&size.cols()) && (1..=1000).contains(&size.rows()));
        let mut terminal = terminal();
        terminal.resize(size);
        terminal.feed("漢 wide enough for every size\r\n\x1b[999;999Hx".as_bytes());
        assert_eq!(terminal.size(), size);
        assert_eq!(terminal.rows().count(), usize::from(size.rows()));
    }
}

#[test]
fn s22_output_does_not_choose_the_size() {
    let mut terminal = terminal();
    terminal.feed(
        b"\x1b[8;5;9t\x1b[4;50;90t\x1b[?3h\x1b[?40h\x1b[?3h\x1b[72t\x1b[9;1t\x1b[48;5;9;1;1t\x1b[5$|\x1b[5*|",
    );
    assert_eq!(terminal.size(), TermSize::clamped(80, 24));
}

/// Text that no terminal says by itself.
const MARKER: &str = "Zq7xMarker";

/// Sequences that carry the marker into everything that keeps text, and every question there is.
fn marked() -> Vec<String> {
    let hex: String = MARKER.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut all = vec![format!("{MARKER}\r\n"), "\x05".into(), "\x1bZ".into(), format!("\x1bP+q{hex}\x1b\\")];
    let texts =
        ["", "?;", "1;", "c;", "id=", "d=0;"].map(|start| format!("{start}{MARKER};{MARKER}")).into_iter();
    let questions = ["?", "1;?", "c;?", ";?", "?;?;?", "1;?;2;?"].map(str::to_owned);
    let numbers = (0..120).chain([133, 176, 555, 633, 777, 1337, 7501, 21337]);
    for text in texts.chain(questions) {
        for number in numbers.clone() {
            all.push(format!("\x1b]{number};{text}\x07"));
            all.push(format!("\x1b]{number};{text}\x1b\\"));
        }
    }
    for introducer in ["P", "P$q", "P+q", "P+p", "P1$t", "P0;1|", "P=1s", "P>|", "_", "_G", "^", "X"] {
        all.push(format!("\x1b{introducer}{MARKER}\x1b\\"));
    }
    for setting in ["m", "r", "s", "t", " q", "\"p", "\"q", "$|", "*|", "*x", ">m", ">4m"] {
        all.push(format!("\x1bP$q{setting}\x1b\\"));
    }
    for capability in ["544e", "436f", "636f6c6f7273", "524742", "544e;436f;00"] {
        all.push(format!("\x1bP+q{capability}\x1b\\"));
    }
    let questions = [
        ("", "t"),
        ("", "n"),
        ("?", "n"),
        ("", "c"),
        (">", "c"),
        ("=", "c"),
        (">", "q"),
        ("", "x"),
        ("", "$p"),
        ("?", "$p"),
        ("?", "u"),
        ("?", "m"),
        ("", "$w"),
        ("", "'|"),
        (">", "t"),
        ("", ";1;1;1;9;9*y"),
        ("?", ";1;0S"),
    ];
    let numbers = (0..32).chain([66, 90, 996, 1000, 1049, 2004, 2026, 2048, 99_999, 4_000_000_000_u64]);
    for (prefix, last) in questions {
        all.extend(numbers.clone().map(|number| format!("\x1b[{prefix}{number}{last}")));
    }
    all
}

/// Every answer there is; `#` stands for numbers and what separates them.
const ANSWERS: [&str; 24] = [
    "\x1b[?#c",
    "\x1b[>#c",
    "\x1bP!|#\x1b\\",
    "\x1b[#n",
    "\x1b[?#n",
    "\x1b[#R",
    "\x1b[?#R",
    "\x1b[#t",
    "\x1b[#$y",
    "\x1b[?#$y",
    "\x1b[?#u",
    "\x1b[>#m",
    "\x1bP>|abide(#.#.#)\x1b\\",
    "\x1b]#rgb#\x07",
    "\x1b]#rgb#\x1b\\",
    "\x1b]#?\x07",
    "\x1b]#?\x1b\\",
    "\x1bP#$r\x1b\\",
    "\x1bP#$r#m\x1b\\",
    "\x1bP#$r#r\x1b\\",
    "\x1bP#$r# q\x1b\\",
    "\x1bP#$r#\"p\x1b\\",
    "\x1bP#$r#\"q\x1b\\",
    "\x1bP#+r\x1b\\",
];

/// The capabilities we tell, in full.
const CAPABILITIES: [&str; 4] = [
    "\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\",
    "\x1bP1+r436f=323536\x1b\\",
    "\x1bP1+r636f6c6f7273=323536\x1b\\",
    "\x1bP1+r524742=38\x1b\\",
];

#[test]
fn s20_no_reply_contains_text_chosen_by_output() {
    let marked = marked();
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut terminal = terminal();
        for _ in 0..20 {
            let mut output: String = (0..40).map(|_| marked[random.below(marked.len())].as_str()).collect();
            output += &String::from_utf8_lossy(&StreamGen::new(random.number()).long(300).bytes());
            terminal.feed(output.as_bytes());
            for answer in answers(&terminal.take_replies()) {
                let known =
                    ANSWERS.contains(&masked(&answer).as_str()) || CAPABILITIES.contains(&answer.as_str());
                assert!(known, "{answer:?} is no answer of ours; it was drawn by one of {output:?}");
            }
        }
    }
}

/// Cuts replies into answers.
fn answers(replies: &[u8]) -> Vec<String> {
    let replies = std::str::from_utf8(replies).expect("answers are text");
    let mut answers: Vec<String> = Vec::new();
    for part in replies.split('\x1b').skip(1) {
        match answers.last_mut() {
            Some(answer) if part.starts_with('\\') => *answer += &format!("\x1b{part}"),
            _ => answers.push(format!("\x1b{part}")),
        }
    }
    answers
}

/// An answer with its numbers and colours left out.
fn masked(answer: &str) -> String {
    let mut out = String::new();
    for c in answer.chars() {
        let number = match c {
            '0'..='9' | ';' | ':' => true,
            'a'..='f' | '/' => out.contains("rgb#"),
            _ => false,
        };
        match number {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}
