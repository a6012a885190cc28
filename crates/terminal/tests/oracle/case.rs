//! One case: a stream, a cut, a form of snapshot and a viewer.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use model::TermSize;
use serde_json::{Value, json};
use terminal::{HistoryLimit, SnapshotForm, Terminal};
use testkit::StreamGen;

use crate::lexer;
use crate::server::{Oracle, Verdict};

/// Where a stream comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Made up from a seed.
    Seed(u64),
    /// Recorded from a real program.
    Recorded { name: String, size: TermSize },
    /// In a file, for a terminal of 80x24 unless the case says otherwise.
    File(PathBuf),
    /// Written out.
    Bytes { bytes: Vec<u8>, size: TermSize },
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded")
}

impl Source {
    /// Every recorded program.
    pub(crate) fn recorded() -> Vec<Source> {
        let index =
            fs::read_to_string(fixtures().join("index.json")).expect("the index of recorded programs");
        let index: Value = serde_json::from_str(&index).expect("the index is JSON");
        let number =
            |value: &Value| u16::try_from(value.as_u64().expect("a number")).expect("a small number");
        let entries = index.as_array().expect("a list").iter().map(|entry| Source::Recorded {
            name: entry["name"].as_str().expect("a name").to_owned(),
            size: TermSize::clamped(number(&entry["cols"]), number(&entry["rows"])),
        });
        entries.collect()
    }

    /// The bytes.
    pub(crate) fn stream(&self) -> Vec<u8> {
        let read = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        match self {
            Source::Seed(seed) => StreamGen::new(*seed).bytes(),
            Source::Recorded { name, .. } => read(&fixtures().join(format!("{name}.vt"))),
            Source::File(path) => read(path),
            Source::Bytes { bytes, .. } => bytes.clone(),
        }
    }

    fn size(&self) -> TermSize {
        match self {
            Source::Seed(seed) => StreamGen::new(*seed).size(),
            Source::Recorded { size, .. } | Source::Bytes { size, .. } => *size,
            Source::File(_) => TermSize::clamped(80, 24),
        }
    }
}

/// Which snapshot is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// All there is, from a reset on.
    Full,
    /// The visible screen and the modes, drawn over the viewer's present screen.
    Screen,
}

/// One case. Its text form, as failures print it, is read back by `minimise` and `one_case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) source: Source,
    pub(crate) size: TermSize,
    pub(crate) stream: Vec<u8>,
    pub(crate) cut: usize,
    pub(crate) form: Form,
    /// What the viewer showed before: 0 for nothing, else one of the oracle's kinds of dirt.
    pub(crate) dirty: u8,
    pub(crate) history: usize,
}

impl Case {
    pub(crate) fn new(source: Source, cut: usize, form: Form, dirty: u8, history: usize) -> Case {
        Case { size: source.size(), stream: source.stream(), source, cut, form, dirty, history }
    }

    /// The same case with other bytes.
    pub(crate) fn with_stream(&self, stream: Vec<u8>, cut: usize) -> Case {
        let source = Source::Bytes { bytes: stream.clone(), size: self.size };
        Case { source, stream, cut, ..self.clone() }
    }

    /// What the terminal saw before the snapshot.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.stream[..self.cut]
    }

    /// What both viewers see after it: for the screen form, as far as the stream stays on its screen.
    pub(crate) fn rest(&self) -> &[u8] {
        let end = match self.form {
            Form::Full => None,
            Form::Screen => lexer::tokens(&self.stream)
                .into_iter()
                .find(|token| token.end > self.cut && lexer::switches_screen(&self.stream[token.clone()]))
                .map(|token| token.start.max(self.cut)),
        };
        &self.stream[self.cut..end.unwrap_or(self.stream.len())]
    }

    fn terminal(&self) -> Terminal {
        let mut terminal = Terminal::new(self.size, HistoryLimit { lines: self.history, bytes: 16 << 20 });
        terminal.feed(self.prefix());
        terminal
    }

    /// The snapshot at the cut.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        self.terminal().snapshot(match self.form {
            Form::Full => SnapshotForm::Full { history: self.history },
            Form::Screen => SnapshotForm::Screen,
        })
    }

    fn header(&self, kind: &str) -> Value {
        json!({
            "kind": kind,
            "cols": self.size.cols(),
            "rows": self.size.rows(),
            "scrollback": self.history,
            "unicode": "11",
            "dirty": self.dirty,
            "form": match self.form { Form::Full => "full", Form::Screen => "screen" },
        })
    }

    /// Judges our snapshot.
    pub(crate) fn judge(&self, oracle: &mut Oracle) -> Verdict {
        self.judge_snapshot(oracle, &self.snapshot()).with_noise()
    }

    /// Judges some other snapshot, which may make a noise.
    pub(crate) fn judge_snapshot(&self, oracle: &mut Oracle, snapshot: &[u8]) -> Verdict {
        Verdict::read(&oracle.ask(self.header("judge"), &[self.prefix(), snapshot, self.rest()]))
    }

    /// Judges the snapshot of a terminal that was resized at the cut, by its logical lines.
    pub(crate) fn judge_resized(&self, oracle: &mut Oracle, to: TermSize) -> Verdict {
        let mut terminal = self.terminal();
        terminal.resize(to);
        let snapshot = terminal.snapshot(SnapshotForm::Full { history: self.history });
        let mut header = self.header("resize");
        header["to"] = json!([to.cols(), to.rows()]);
        Verdict::read(&oracle.ask(header, &[self.prefix(), &snapshot]))
    }
}

/// Bytes as a shell's `$'…'` takes them, without a space.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                '\'' | '@' | ' ' => text.push_str(&format!("\\x{:02x}", u32::from(character))),
                '\x1b' => text.push_str("\\e"),
                '\r' => text.push_str("\\r"),
                '\n' => text.push_str("\\n"),
                '!'..='~' => text.push(character),
                '\u{a1}'.. if character.is_alphanumeric() => text.push(character),
                _ => character.to_string().bytes().for_each(|byte| text.push_str(&format!("\\x{byte:02x}"))),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let code = rest[at + 1..].chars().next().ok_or("a backslash at the end")?;
        let mut used = at + 2;
        match code {
            'e' => bytes.push(0x1b),
            'r' => bytes.push(b'\r'),
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            '\\' => bytes.push(b'\\'),
            'x' => {
                let digits = rest.get(used..used + 2).ok_or("two digits must follow \\x")?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?);
                used += 2;
            }
            other => return Err(format!("unknown escape \\{other}")),
        }
        rest = &rest[used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Seed(seed) => write!(f, "seed:{seed}@{}", self.cut)?,
            Source::Recorded { name, .. } => write!(f, "recorded:{name}@{}", self.cut)?,
            Source::File(path) => write!(f, "file:{}@{}", path.display(), self.cut)?,
            Source::Bytes { bytes, .. } => {
                write!(f, "bytes:{}@{}", escaped(&bytes[..self.cut]), escaped(&bytes[self.cut..]))?;
            }
        }
        let form = if self.form == Form::Full { "full" } else { "screen" };
        write!(f, " size={} form={form} dirty={} history={}", self.size, self.dirty, self.history)
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Case, String> {
        let mut words = text.split_whitespace();
        let (source, cut) =
            words.next().and_then(|word| word.rsplit_once('@')).ok_or("a case starts with SOURCE@CUT")?;
        let (kind, what) = source.split_once(':').ok_or("a source is KIND:WHAT")?;
        let mut bytes_cut = None;
        let source = match kind {
            "seed" => Source::Seed(what.parse().map_err(|_| "a seed is a number")?),
            "recorded" => Source::recorded()
                .into_iter()
                .find(|source| matches!(source, Source::Recorded { name, .. } if name == what))
                .ok_or("no such recording")?,
            "file" => Source::File(what.into()),
            "bytes" => {
                let mut bytes = unescaped(what)?;
                bytes_cut = Some(bytes.len());
                bytes.extend(unescaped(cut)?);
                Source::Bytes { bytes, size: TermSize::clamped(80, 24) }
            }
            _ => return Err(format!("unknown kind of source `{kind}`")),
        };
        let cut = match bytes_cut {
            Some(cut) => cut,
            None => cut.parse().map_err(|_| "a cut is a number")?,
        };
        let mut case = Case::new(source, cut, Form::Full, 0, 1000);
        for word in words {
            match word.split_once('=') {
                Some(("size", size)) => case.size = size.parse().map_err(|_| format!("no size: {size}"))?,
                Some(("form", "full")) => case.form = Form::Full,
                Some(("form", "screen")) => case.form = Form::Screen,
                Some(("dirty", dirty)) => case.dirty = dirty.parse().map_err(|_| "dirty is a number")?,
                Some(("history", lines)) => {
                    case.history = lines.parse().map_err(|_| "history is a number")?;
                }
                _ => return Err(format!("unknown word `{word}`")),
            }
        }
        case.cut = case.cut.min(case.stream.len());
        Ok(case)
    }
}

#[test]
fn a_case_is_read_back_as_it_was_printed() {
    let bytes = Source::Bytes {
        bytes: b"a \x1b[31m'\xff\\@\xe6\xbc\xa2\r\n".to_vec(),
        size: TermSize::clamped(5, 3),
    };
    for source in [Source::Seed(7), bytes] {
        let case = Case::new(source, 4, Form::Screen, 2, 40);
        let again: Case = case.to_string().parse().unwrap();
        assert_eq!((again.stream, again.cut, again.size), (case.stream, case.cut, case.size));
        assert_eq!((again.form, again.dirty, again.history), (case.form, case.dirty, case.history));
    }
}
