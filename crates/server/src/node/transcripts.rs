//! Transcripts: the files in which agents keep their conversations. They are the agents' own, somewhere in the user's
//! home, and are only read.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agents::{Account, Agent, Context, Entry, RateLimit, Sum, TranscriptForm, TranscriptReader};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::WorkerId;
use reading::{Exit, Masks, MasksError};
use rustix::fs::OFlags;
use system::processes;

use super::Node;
use super::conversations::{Variables, files_like, place};

/// So many bytes are read at a time.
const PIECE_BYTES: usize = 64 << 10;

/// A page has no more entries than this, but for those of its last line.
const MOST_ENTRIES: usize = 200;

/// A page has no more text than this, but for that of its last line.
const MOST_TEXT_BYTES: usize = 1 << 20;

/// No more of a file is read for one page. Much of it is nothing that a page shows.
const MOST_READ_BYTES: u64 = 32 << 20;

/// In so much of a file stands the id of its conversation, if its name has only a part of that.
const HEAD_BYTES: u64 = 64 << 10;

/// Where a transcript is to be found.
#[derive(Clone, Debug)]
pub(crate) struct TranscriptSource {
    pub(crate) agent: Agent,
    pub(crate) form: TranscriptForm,
    /// The agent's own id of the conversation.
    pub(crate) conversation: String,
    /// The worker's child, if it runs.
    pub(crate) child: Option<u32>,
}

/// Some of a transcript.
#[derive(Debug)]
pub(crate) struct TranscriptPage {
    pub(crate) entries: Vec<Entry>,
    /// Where the next page begins.
    pub(crate) next: u64,
    pub(crate) is_complete: bool,
    pub(crate) is_from_start: bool,
}

/// What a conversation has used.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    pub(crate) days: Vec<(Option<Date>, Sum)>,
    pub(crate) context: Option<Context>,
    pub(crate) limits: Vec<RateLimit>,
    pub(crate) last_at: Option<Timestamp>,
}

/// What was counted of each file, so that only what is new is read.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    counted: Mutex<HashMap<PathBuf, Counted>>,
}

#[derive(Debug)]
struct Counted {
    /// Which file it was.
    file: (u64, u64),
    reader: TranscriptReader,
    account: Account,
}

impl Node {
    /// A page of a transcript, from an offset on; `None` if there is no file. Reads files, and blocks.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn transcript_page(
        &self,
        source: &TranscriptSource,
        after: u64,
    ) -> io::Result<Option<TranscriptPage>> {
        self.transcript_file(source).map(|path| page(&path, source.form, after)).transpose()
    }

    /// What these conversations have used; `None` for one that has no file. Reads files, and blocks.
    pub(crate) fn used(&self, sources: &[TranscriptSource]) -> Vec<io::Result<Option<Used>>> {
        let mut before = std::mem::take(&mut *self.counted());
        let mut now = HashMap::new();
        let used = sources.iter().map(|source| {
            let Some(path) = self.transcript_file(source) else { return Ok(None) };
            let counted = count(&path, source.form, before.remove(&path))?;
            let used = counted.used();
            now.insert(path, counted);
            Ok(Some(used))
        });
        let used = used.collect();
        // What nobody asked for is not kept.
        *self.counted() = now;
        used
    }

    /// The exit for the texts of a worker's transcript. It reads the rules for masking, and blocks meanwhile.
    ///
    /// # Errors
    ///
    /// When the rules cannot be read. Without them, nothing of a transcript leaves.
    pub(crate) fn transcript_exit(&self, worker: WorkerId) -> Result<Exit, MasksError> {
        let masks = Masks::read(&self.0.home)?;
        // The variables of a worker that has ended are not known any more. Most of them were those of the login.
        Ok(Exit::of(&masks, &self.0.home.worker(worker)).and_variables(self.0.hosts.environment()))
    }

    fn counted(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Counted>> {
        self.0.accounts.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of exactly this conversation. An agent may write it in several files; the newest one goes on.
    fn transcript_file(&self, source: &TranscriptSource) -> Option<PathBuf> {
        let signs = &source.agent.conversation;
        let mut variables: Variables = self.0.hosts.environment();
        variables.extend(source.agent.environment.iter().map(|(name, value)| (name.into(), value.into())));
        variables.extend(source.child.and_then(processes::environment).into_iter().flatten());
        let kept_in = signs.kept_in.as_ref()?;
        let id = &source.conversation;
        let path = place(signs, kept_in, &variables)?.replace("{id}", id).replace("{id8}", id.get(..8)?);
        let names_all = kept_in.contains("{id}");
        let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        files_like(Path::new(&path))
            .filter(|path| names_all || says(path, id))
            .max_by_key(|path| (written(path), path.clone()))
    }
}

/// Whether a file says in its beginning that it is of this conversation.
fn says(path: &Path, id: &str) -> bool {
    let mut head = Vec::new();
    let read = open(path).and_then(|(file, _)| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && head.windows(id.len()).any(|part| part == id.as_bytes())
}

/// Opens a file. What is no file is not waited for.
fn open(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let no_waiting = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(no_waiting).open(path)?;
    let facts = file.metadata()?;
    if facts.is_file() { Ok((file, facts)) } else { Err(io::Error::other("it is no file")) }
}

fn page(path: &Path, form: TranscriptForm, after: u64) -> io::Result<TranscriptPage> {
    let (mut file, facts) = open(path)?;
    // A file that is shorter is another one.
    let after = if facts.len() < after { 0 } else { after };
    file.seek(SeekFrom::Start(after))?;
    let mut reader = TranscriptReader::from(form, after);
    let (mut entries, mut text_bytes) = (Vec::new(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    let is_complete = loop {
        match reader.next() {
            Some(more) => {
                text_bytes += more.iter().map(text_len).sum::<usize>();
                entries.extend(more);
                let is_full = entries.len() >= MOST_ENTRIES || text_bytes >= MOST_TEXT_BYTES;
                if is_full || reader.offset() - after >= MOST_READ_BYTES {
                    break false;
                }
            }
            None => match file.read(&mut piece)? {
                0 => break true,
                read => reader.feed(&piece[..read]),
            },
        }
    };
    Ok(TranscriptPage { entries, next: reader.offset(), is_complete, is_from_start: after == 0 })
}

fn text_len(entry: &Entry) -> usize {
    use agents::Content::{Answer, Call, Error, Limit, Note, Prompt, Result, Thinking};
    match &entry.content {
        Prompt(words) | Answer(words) | Thinking(words) | Error(words) | Limit(words) | Note(words) => {
            words.text.len()
        }
        Call { input, .. } => input.text.len(),
        Result { output, .. } => output.text.len(),
        _ => 0,
    }
}

/// Counts what is new in a file.
fn count(path: &Path, form: TranscriptForm, before: Option<Counted>) -> io::Result<Counted> {
    let (mut file, facts) = open(path)?;
    let this = (facts.dev(), facts.ino());
    let goes_on = before.filter(|before| before.file == this && before.reader.offset() <= facts.len());
    let mut counted = goes_on.unwrap_or_else(|| Counted {
        file: this,
        reader: TranscriptReader::new(form),
        account: Account::default(),
    });
    file.seek(SeekFrom::Start(counted.reader.offset()))?;
    let zone = TimeZone::system();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        while let Some(entries) = counted.reader.next() {
            let day = |at: Timestamp| at.to_zoned(zone.clone()).date();
            entries.iter().for_each(|entry| counted.account.take(entry, day));
        }
        match file.read(&mut piece)? {
            0 => break,
            read => counted.reader.feed(&piece[..read]),
        }
    }
    counted.reader.forget_pending();
    Ok(counted)
}

impl Counted {
    fn used(&self) -> Used {
        Used {
            days: self.account.days().map(|(day, sum)| (day, sum.clone())).collect(),
            context: self.account.context(),
            limits: self.account.limits().to_vec(),
            last_at: self.account.last_at(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn prompt(text: &str) -> String {
        format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n")
    }

    #[test]
    fn pages_follow_each_other_and_a_file_that_grows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("it.jsonl");
        let mut file = File::create(&path).unwrap();
        (0..450).for_each(|number| file.write_all(prompt(&number.to_string()).as_bytes()).unwrap());
        file.write_all(b"{\"type\":\"us").unwrap();
        let page = |after| page(&path, TranscriptForm::Claude, after).unwrap();
        let (mut after, mut lengths) = (0, Vec::new());
        loop {
            let page = page(after);
            assert_eq!(page.is_from_start, after == 0);
            after = page.next;
            lengths.push(page.entries.len());
            if page.is_complete {
                break;
            }
        }
        assert_eq!(lengths, [200, 200, 50]);
        assert_eq!(page(after).entries.len(), 0);
        file.write_all(b"er\",\"message\":{\"content\":\"last\"}}\n").unwrap();
        assert_eq!(page(after).entries.len(), 1);
        // Another file of this name begins anew.
        fs::write(&path, prompt("new")).unwrap();
        assert!(page(after).is_from_start && page(after).entries.len() == 1);
    }

    #[test]
    fn only_what_is_new_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("it.jsonl");
        let turns = |counted: &Counted| counted.account.sum().turns;
        fs::write(&path, prompt("one") + "{\"type\"").unwrap();
        let counted = count(&path, TranscriptForm::Claude, None).unwrap();
        assert_eq!((turns(&counted), counted.reader.pending()), (1, 0));
        fs::write(&path, prompt("one") + &prompt("two")).unwrap();
        let counted = count(&path, TranscriptForm::Claude, Some(counted)).unwrap();
        assert_eq!(turns(&counted), 2);
        fs::remove_file(&path).unwrap();
        fs::write(dir.path().join("other"), "").unwrap();
        fs::write(&path, prompt("another")).unwrap();
        assert_eq!(turns(&count(&path, TranscriptForm::Claude, Some(counted)).unwrap()), 1);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(open(&path).is_err());
    }
}
