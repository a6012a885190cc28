//! Transcripts of real agents, read.

use agents::{Account, Content, Entry, TranscriptForm, TranscriptReader};
use jiff::civil::Date;
use jiff::tz::TimeZone;

const CLAUDE: &str = include_str!("../fixtures/transcripts/claude-2.1.325.jsonl");
const CODEX: &str = include_str!("../fixtures/transcripts/codex-0.166.0.jsonl");
const COPILOT: &str = include_str!("../fixtures/transcripts/copilot-1.0.102.jsonl");
const GEMINI: &str = include_str!("../fixtures/transcripts/gemini-0.61.0.jsonl");
const PI: &str = include_str!("../fixtures/transcripts/pi-0.73.1.jsonl");
const QWEN: &str = include_str!("../fixtures/transcripts/qwen-0.24.4.jsonl");

const ALL: [(TranscriptForm, &str); 6] = [
    (TranscriptForm::Claude, CLAUDE),
    (TranscriptForm::Codex, CODEX),
    (TranscriptForm::Copilot, COPILOT),
    (TranscriptForm::Gemini, GEMINI),
    (TranscriptForm::Pi, PI),
    (TranscriptForm::Qwen, QWEN),
];

fn drain(reader: &mut TranscriptReader) -> Vec<Entry> {
    let mut entries = Vec::new();
    while let Some(more) = reader.next() {
        entries.extend(more);
    }
    entries
}

fn read(form: TranscriptForm, bytes: &[u8]) -> Vec<Entry> {
    let mut reader = TranscriptReader::new(form);
    reader.feed(bytes);
    drain(&mut reader)
}

/// Entries that come again stand where the first one stood.
fn settled(entries: Vec<Entry>) -> Vec<Entry> {
    let mut settled: Vec<Entry> = Vec::new();
    for entry in entries {
        match settled.iter_mut().find(|before| entry.id.is_some() && before.id == entry.id) {
            Some(before) => *before = entry,
            None => settled.push(entry),
        }
    }
    settled
}

fn account(entries: &[Entry]) -> Account {
    let mut account = Account::default();
    entries.iter().for_each(|entry| account.take(entry, |at| at.to_zoned(TimeZone::UTC).date()));
    account
}

/// A line for each entry but usage.
fn lines(form: TranscriptForm, text: &str) -> Vec<String> {
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let line = |entry: Entry| {
        Some(match entry.content {
            Content::Prompt(words) => format!("> {}", first(&words.text)),
            Content::Answer(words) => format!("answer: {}", first(&words.text)),
            Content::Thinking(words) => format!("thinking: {}", first(&words.text)),
            Content::Call { tool, input, .. } => format!("{tool}: {}", first(&input.text)),
            Content::Result { output, failed, .. } => format!("result {failed}: {}", first(&output.text)),
            Content::Error(words) => format!("error: {}", first(&words.text)),
            Content::Limit(words) => format!("limit: {}", first(&words.text)),
            Content::Note(words) => format!("note: {}", first(&words.text)),
            Content::TooLong { bytes } => format!("too long: {bytes}"),
            Content::Usage(_) | Content::CostSoFar(_) => return None,
        })
    };
    settled(read(form, text.as_bytes())).into_iter().filter_map(line).collect()
}

const HELLO: &str =
    "answer: Hello from the mock model. Everything works: the repository is clean and all 12 tests pass.";
const DONE: &str = "answer: Done. The tool ran and I looked at its result. Nothing else is left to do.";

#[test]
fn a_transcript_of_claude() {
    let expected = [
        "> mock:think hello",
        "thinking: Let me think about the layout of this project.",
        HELLO,
        "> mock:bash now",
        "answer: I will run a command.",
        "Bash: date > when.txt; echo written",
        "result false: written",
        DONE,
        "> mock:limitfinal now",
        "limit: API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again \
         later.",
        "> mock:agentask now",
        "answer: Let me do that.",
        "Agent: mock:bash please",
        "result false: Async agent launched successfully. (This tool result is inte …",
        DONE,
        HELLO,
    ];
    assert_eq!(lines(TranscriptForm::Claude, CLAUDE), expected);
    let sum = account(&read(TranscriptForm::Claude, CLAUDE.as_bytes())).sum();
    // Six answers; the tokens of one in two blocks count once, as the second block has them.
    assert_eq!((sum.turns, sum.requests), (4, 6));
    assert_eq!((sum.tokens.input, sum.tokens.output), (5 * 1234 + 34, 54 + 49 + 24 + 50 + 24 + 29));
    assert_eq!((sum.tokens.cache_read, sum.tokens.cache_write), (1000, 200));
    assert_eq!((sum.cost_usd.map(|cost| (cost * 1e6).round()), sum.unpriced), (Some(45548.0), 0));
    assert_eq!(sum.models.into_iter().collect::<Vec<_>>(), ["claude-opus-5-5"]);
}

#[test]
fn a_transcript_of_codex() {
    let expected = [
        "> mock:think hello",
        HELLO,
        "> mock:bash now",
        "answer: I will run a command.",
        "exec_command: date > when.txt; echo written",
        "result false: approval policy is Never; reject command — you cannot ask for escalated permissions if the \
         approval policy is Never",
        DONE,
        "> mock:limitfinal now",
        "limit: You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit \
         https://chatgpt.com/settings/usage to purchase more credits or try again at 11:46 PM.",
    ];
    assert_eq!(lines(TranscriptForm::Codex, CODEX), expected);
    let account = account(&read(TranscriptForm::Codex, CODEX.as_bytes()));
    let sum = account.sum();
    // The last count repeats what was used before.
    assert_eq!((sum.turns, sum.requests, sum.cost_usd, sum.unpriced), (3, 3, None, 3));
    assert_eq!((sum.tokens.input, sum.tokens.cache_read, sum.tokens.output), (3 * 234, 3000, 3 * 56));
    let context = account.context().unwrap();
    assert_eq!((context.used, context.window), (1290, Some(258_400)));
    let limits: Vec<_> =
        account.limits().iter().map(|limit| (limit.name.as_str(), limit.used_percent)).collect();
    assert_eq!(limits, [("primary", 12.5), ("secondary", 40.0)]);
    assert_eq!(account.limits()[0].resets_at.unwrap().to_string(), "2026-11-20T02:00:00Z");
}

#[test]
fn transcripts_of_gemini_qwen_copilot_and_pi() {
    let begin = ["> mock:think hello", HELLO, "> mock:bash now", "answer: I will run a command."];
    let behind = |tool: &str, result: &str, last: &[&str]| {
        let tool = format!("{tool}: date > when.txt; echo written");
        let mut lines: Vec<String> = begin.map(str::to_owned).into();
        lines.extend([tool, format!("result false: {result}"), DONE.to_owned()]);
        lines.extend(last.iter().map(|&line| line.to_owned()));
        lines
    };
    let gemini = behind("run_shell_command", "Output: written", &[]);
    assert_eq!(lines(TranscriptForm::Gemini, GEMINI), gemini);
    let limit = "limit: 429 You exceeded your current quota, please check your plan and billing details.";
    let qwen = behind(
        "run_shell_command",
        "Command: date > when.txt; echo written",
        &["> mock:limitfinal now", limit],
    );
    assert_eq!(lines(TranscriptForm::Qwen, QWEN), qwen);
    let error = "error: 400 mock bad request";
    let copilot = behind("bash", "written", &["> mock:badreq hello", error, "note: The turn was stopped."]);
    assert_eq!(lines(TranscriptForm::Copilot, COPILOT), copilot);
    assert_eq!(lines(TranscriptForm::Pi, PI), behind("bash", "written", &["> mock:badreq now", error]));
}

#[test]
fn what_gemini_qwen_copilot_and_pi_used_is_counted_once() {
    let used = |form, text: &str| {
        let account = account(&read(form, text.as_bytes()));
        let sum = account.sum();
        assert_eq!(sum.models.len(), 1, "{form:?}");
        (sum.turns, sum.requests, sum.tokens.input, sum.tokens.output)
    };
    assert_eq!(used(TranscriptForm::Gemini, GEMINI), (2, 3, 3 * 1234, 3 * 56));
    // One request is of a helper that is not in the conversation.
    assert_eq!(used(TranscriptForm::Qwen, QWEN), (3, 4, 4 * 1234, 4 * 56));
    assert_eq!(used(TranscriptForm::Copilot, COPILOT), (3, 3, 3 * 1234, 3 * 56));
    assert_eq!(used(TranscriptForm::Pi, PI), (3, 3, 3 * 1234, 3 * 56));
    let pi = account(&read(TranscriptForm::Pi, PI.as_bytes())).sum();
    assert_eq!((pi.cost_usd.map(|cost| (cost * 1e6).round()), pi.unpriced), (Some(4038.0), 0));
    let copilot = account(&read(TranscriptForm::Copilot, COPILOT.as_bytes()));
    assert_eq!(copilot.context().unwrap().window, Some(128_000));
    // Credits are no money.
    assert_eq!((copilot.sum().cost_usd, copilot.sum().unpriced), (None, 3));
}

#[test]
fn a_transcript_in_any_pieces_is_the_same() {
    for (form, text) in ALL {
        let whole = read(form, text.as_bytes());
        for size in [1, 7, 100, 4096] {
            let mut reader = TranscriptReader::new(form);
            let mut entries = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                reader.feed(piece);
                entries.extend(drain(&mut reader));
            }
            assert_eq!(entries, whole, "{form:?} {size}");
            assert_eq!((reader.offset(), reader.pending()), (text.len() as u64, 0));
        }
    }
}

#[test]
fn a_transcript_that_ends_anywhere_is_read_up_to_its_last_whole_line() {
    for (form, text) in ALL {
        let whole = read(form, text.as_bytes());
        for end in 0..text.len() {
            let mut reader = TranscriptReader::new(form);
            reader.feed(&text.as_bytes()[..end]);
            let part = drain(&mut reader);
            assert_eq!(part, whole[..part.len()], "{form:?} {end}");
            let last_line = text[..floor(text, end)].rfind('\n').map_or(0, |at| at + 1);
            assert_eq!(reader.offset(), last_line as u64, "{form:?} {end}");
        }
    }
}

fn floor(text: &str, end: usize) -> usize {
    (0..=end).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default()
}

#[test]
fn a_reader_goes_on_where_another_one_stopped() {
    for (form, text) in ALL {
        let whole = read(form, text.as_bytes());
        let mut reader = TranscriptReader::new(form);
        reader.feed(text.as_bytes());
        let mut read_before = 0;
        while let Some(entries) = reader.next() {
            read_before += entries.len();
            let mut on = TranscriptReader::from(form, reader.offset());
            on.feed(&text.as_bytes()[usize::try_from(reader.offset()).unwrap()..]);
            let rest = drain(&mut on);
            assert_eq!(on.offset(), text.len() as u64);
            let ids = |entries: &[Entry]| {
                entries.iter().map(|entry| (entry.id.clone(), entry.at)).collect::<Vec<_>>()
            };
            assert_eq!(ids(&rest), ids(&whole[read_before..]), "{form:?}");
        }
    }
}

#[test]
fn damaged_and_foreign_records_are_left_out_and_nothing_panics() {
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below as u64).unwrap()
    };
    let odd: [&[u8]; 8] = [b"{}", b"[]", b"null", b"\xff\xfe", b"-1", b"1e999", b"\"\"", b"{\"type\":[]}"];
    for (_, text) in ALL {
        for _ in 0..150 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=next(12) {
                let at = next(bytes.len());
                match next(3) {
                    0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                    1 => drop(bytes.drain(at..(at + next(40)).min(bytes.len()))),
                    _ => drop(bytes.splice(at..at, odd[next(odd.len())].iter().copied())),
                }
            }
            // In its own words, and in those of another program.
            for (form, _) in ALL {
                account(&read(form, &bytes));
            }
        }
    }
    // A value of each field is replaced by something else.
    for (form, text) in ALL {
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            for key in record.as_object().unwrap().keys() {
                for odd in ["null", "7", "-7", "1e300", "\"x\"", "[]", "[[{}]]", "{}", "true"] {
                    let mut record = record.clone();
                    record[key] = serde_json::from_str(odd).unwrap();
                    account(&read(form, format!("{record}\n").as_bytes()));
                }
            }
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_said_and_the_rest_is_read() {
    let long = format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n", "x".repeat(9 << 20));
    let text = format!("{long}{CLAUDE}");
    let lines = lines(TranscriptForm::Claude, &text);
    assert_eq!(lines[..2], [format!("too long: {}", long.len()), "> mock:think hello".to_owned()]);
}

#[test]
fn what_was_used_is_known_by_day() {
    let line = |day: u8, id: &str, output: u64| {
        format!(
            "{{\"type\":\"assistant\",\"timestamp\":\"2026-11-{day}T23:30:00Z\",\"message\":{{\"id\":\"{id}\",\
             \"model\":\"m\",\"content\":[],\"usage\":{{\"input_tokens\":1,\"output_tokens\":{output}}}}}}}\n"
        )
    };
    let text = [line(18, "a", 1), line(18, "a", 10), line(19, "b", 20), line(19, "a", 11)].concat();
    let account = account(&read(TranscriptForm::Claude, text.as_bytes()));
    let days: Vec<(Option<Date>, u64, u64)> =
        account.days().map(|(day, sum)| (day, sum.requests, sum.tokens.output)).collect();
    let day = |day| Some(Date::constant(2026, 11, day));
    assert_eq!(days, [(day(18), 1, 11), (day(19), 1, 20)]);
}
