//! `abide export`: a recording as a file for others.

mod picture;

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use export::{ExportError, Range, Subject};
use home::Worker;
use playback::{MaskedRecording, Player, Source};
use terminal::HistoryLimit;

use crate::bytes::bytes;
use crate::duration;
use crate::failure::Failure;
use crate::moment::{self, Moment};
use crate::{rules, workers};
use picture::PictureArguments;

/// Longer pauses are shortened to this, unless another limit was given.
const IDLE_LIMIT: Duration = Duration::from_secs(2);

/// Only the times of a recording are of interest, not what is above its screen.
const NO_HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// What a recording shows is its owner's alone, until that lets others see it.
const NEW_FILE: u32 = 0o600;

/// Write a worker's recording to a file that others can use
///
/// abide masks the secrets that it recognises. Check the file before you share it.
#[derive(Args)]
pub(super) struct Export {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// The format; by default the one that fits the file's name, or asciicast
    #[arg(long, short, value_enum)]
    format: Option<Format>,
    /// Only the end of the recording, this long: for example 10m
    #[arg(long, value_name = "DURATION", conflicts_with = "since", value_parser = duration)]
    last: Option<u64>,
    /// Begin at this moment: 10m (ago), 03:00, 2026-01-31 03:00, or +90s (into the recording)
    #[arg(long, value_name = "MOMENT")]
    since: Option<Moment>,
    /// Stop at this moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<Moment>,
    /// In text: print the time of each line
    #[arg(long)]
    times: bool,
    #[command(flatten)]
    picture: PictureArguments,
    /// The file to write; by default standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What a recording can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Every byte with its time, for asciinema and its players (`.cast`)
    Asciicast,
    /// Every printed line, once (`.txt`)
    Text,
    /// A page of every printed line, with colours
    Html,
    /// A page that plays the recording, with a time line and without a server (`.html`)
    Player,
    /// A picture that plays the recording, for a README or any page (`.svg`)
    Svg,
}

fn duration(text: &str) -> Result<u64, String> {
    duration::parse_us(text)
        .ok_or_else(|| format!("`{}` is not a duration such as 90s, 10m or 1h30m", model::display_safe(text)))
}

impl Export {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let format = self.format.unwrap_or_else(|| format_of(self.output.as_deref()));
        if let Some(option) = self.picture.given().filter(|_| format != Format::Svg) {
            return Err(Failure::usage(format!("`{option}` works only for SVG")).hint("add `--format svg`"));
        }
        let home = workers::home()?;
        let worker = workers::called(&home, &self.name)?;
        let name = &worker.meta.name;
        let rules = rules::rules_for(&home, &worker.dir)?;
        let command = rules.mask_text(&worker.meta.command.join(" ")).into_owned();
        let recording = MaskedRecording::open(&worker.dir.recording(), Arc::clone(&rules));
        let recording = match recording {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(nothing(&worker)),
            recording => {
                recording.with_context(|| format!("cannot read the recording of worker `{name}`"))?
            }
        };
        let times = Times::of(&recording);
        let time_us = |moment: Option<Moment>| moment.map(|moment| moment.time_us(times.begins_us));
        let last_us = self.last.map(|last_us| times.ends_us.saturating_sub(last_us));
        let range = Range { from_us: last_us.or(time_us(self.since)), to_us: time_us(self.until) };
        if !times.has(range) {
            return Err(nothing_then(&worker, times));
        }
        let subject =
            Subject { title: name.to_string(), worker: name.to_string(), command: Some(command), range };
        let failure = |error| match error {
            ExportError::Empty if range != Range::default() => nothing_then(&worker, times),
            error => failure(&worker, error),
        };
        let write = |out: &mut dyn Write| self.write(&recording, format, &subject, out);
        match &self.output {
            None => {
                write(&mut BufWriter::new(io::stdout().lock())).map_err(failure)?;
            }
            Some(path) => {
                let size = to_file(path, |file| write(file).map_err(failure))?;
                let shown = model::display_safe_lines(&path.to_string_lossy());
                match size {
                    Some(size) => eprintln!("wrote {shown} ({})", bytes(size)),
                    None => eprintln!("wrote {shown}"),
                }
            }
        }
        Ok(0)
    }

    fn write(
        &self,
        recording: &MaskedRecording,
        format: Format,
        subject: &Subject,
        out: &mut dyn Write,
    ) -> Result<(), ExportError> {
        let idle_limit = self.picture.idle_limit().unwrap_or(IDLE_LIMIT);
        match format {
            Format::Asciicast => export::asciicast(recording, subject, Some(idle_limit), out),
            Format::Text => export::text(recording, subject, self.times, out),
            Format::Html => export::html(recording, subject, out),
            Format::Player => export::player(recording, subject, out),
            Format::Svg => export::svg(recording, subject, &self.picture.picture(idle_limit), out),
        }
    }
}

fn format_of(path: Option<&Path>) -> Format {
    match path.and_then(Path::extension).and_then(|extension| extension.to_str()) {
        Some("txt" | "text" | "log") => Format::Text,
        Some("html" | "htm") => Format::Player,
        Some("svg") => Format::Svg,
        _ => Format::Asciicast,
    }
}

/// Writes to a file, a pipe or a device, and says how large the file became if it is one.
///
/// A file is there when it is whole, and not before; an older file of that name stays until then. A pipe, a device
/// and a link that leads nowhere yet cannot be replaced without taking them away from others: they are written to.
fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<Option<u64>, Failure> {
    let there = fs::metadata(path).ok();
    let target = match &there {
        Some(there) if there.is_file() => fs::canonicalize(path).ok(),
        Some(_) => None,
        None => Some(path.to_owned()).filter(|path| !path.is_symlink()),
    };
    match target {
        Some(target) => replace(&target, there.as_ref(), write).map(Some),
        None => {
            let file = File::options().write(true).create(true).truncate(true).mode(NEW_FILE).open(path);
            let mut out = BufWriter::new(file.map_err(|error| cannot_write(path, error))?);
            write(&mut out)?;
            out.flush().map_err(|error| cannot_write(path, error))?;
            Ok(None)
        }
    }
}

/// Puts a new file in the place of what is there, with the owner and the permissions of that.
fn replace(
    path: &Path,
    there: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let name = path.file_name().with_context(|| format!("`{}` is not a file name", path.display()))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let cannot = |error| cannot_write(path, error);
    let file = File::options().write(true).create_new(true).mode(NEW_FILE).open(&beside).map_err(cannot)?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out).and_then(|()| {
        out.flush().map_err(cannot)?;
        if let Some(there) = there {
            // Only root can change the owner of a file. For other users it is the same owner, or cannot be kept.
            let _ = fchown(out.get_ref(), Some(there.uid()), Some(there.gid()));
            out.get_ref().set_permissions(there.permissions()).map_err(cannot)?;
        }
        fs::rename(&beside, path).map_err(cannot)?;
        Ok(fs::metadata(path).map_or(0, |file| file.len()))
    });
    if written.is_err() {
        // We report the first failure. Half a file is useless, so we try to remove it.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    Failure::from(anyhow::Error::from(error).context(format!("cannot write `{}`", path.display())))
        .hint("name a file in a directory that exists and that you can write to")
}

fn failure(worker: &Worker, error: ExportError) -> Failure {
    match error {
        ExportError::Empty => nothing(worker),
        error => anyhow::Error::from(error).context(format!("cannot export `{}`", worker.meta.name)).into(),
    }
}

/// When a recording begins and ends.
#[derive(Clone, Copy)]
struct Times {
    begins_us: u64,
    ends_us: u64,
}

impl Times {
    fn of(recording: &MaskedRecording) -> Times {
        let first = recording.segments().first();
        let ends_us = Player::new(recording, NO_HISTORY).end().time_us;
        Times { begins_us: first.map_or(0, |first| first.head.time_us), ends_us }
    }

    /// Whether any of it lies in a range.
    fn has(self, range: Range) -> bool {
        let from_us = range.from_us.unwrap_or(0).max(self.begins_us);
        from_us <= range.to_us.unwrap_or(u64::MAX).min(self.ends_us)
    }
}

fn nothing_then(worker: &Worker, times: Times) -> Failure {
    let name = &worker.meta.name;
    let [begins, ends] = [times.begins_us, times.ends_us].map(moment::local_time);
    Failure::no(format!("worker `{name}` has no recorded output in that time"))
        .hint(format!("its recording goes from {begins} to {ends}"))
}

fn nothing(worker: &Worker) -> Failure {
    let name = &worker.meta.name;
    Failure::no(format!("worker `{name}` has no recorded output"))
        .hint(format!("`abide logs {name}` prints the rest of its output"))
}
