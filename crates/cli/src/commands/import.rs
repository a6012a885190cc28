//! `abide import`: other people's recordings, as workers that have ended.

use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use export::import::{Import as Events, Limits};
use export::{Imported, WriteRecordingError, write_recording};
use home::{ExitNote, Forget, Home, NewWorker, UnbornWorker, Worker};
use jiff::Timestamp;
use masking::Rules;
use model::{ExitStatus, Offset, SizePolicy, WorkerName};
use playback::Masks;

use crate::bytes::bytes;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{output, rest, rules, told_to_end, workers};

/// No other process seals a recording that is just being made.
const TURN_WITHIN: Duration = Duration::from_secs(10);

/// Import a recording that another program made
///
/// Makes an ended worker from an asciicast file (version 1, 2 or 3). You can replay, search and export it like any
/// other.
#[derive(Args)]
pub(super) struct Import {
    /// The file; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The worker's name; by default made from the recorded command or the file's name
    #[arg(long, short)]
    name: Option<WorkerName>,
}

impl Import {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let settings = Settings::read(&home)?;
        // Before anything is read: without them nothing comes to rest.
        let rules = rules::masks(&home)?.common();
        let reader: Box<dyn BufRead> = if self.file.as_os_str() == "-" {
            Box::new(io::stdin().lock())
        } else {
            let file =
                File::open(&self.file).with_context(|| format!("cannot open `{}`", self.file.display()));
            let file = file.map_err(|error| {
                Failure::from(error).hint("name a file that exists and that you can read")
            })?;
            Box::new(BufReader::new(file))
        };
        let events = export::import::import(reader, Limits::default())
            .map_err(|error| refused(&self.file, anyhow::Error::from(error)))?;
        home.finish_removals().context("cannot remove what an import left that was killed")?;
        let half_worker = Arc::new(Mutex::new(None::<Forget>));
        let left = Arc::clone(&half_worker);
        let forget = move || {
            let mut half = lock(&left);
            half.take().iter().for_each(Forget::forget);
            // The lock stays: the signal ends this program, and nothing else does.
            std::mem::forget(half);
        };
        told_to_end::clear_up(forget).context("cannot listen for signals")?;
        // A signal that comes meanwhile waits until there is something to remove.
        let mut half = lock(&half_worker);
        let (unborn, begin_us) = begin(&home, &settings, &self, &events)?;
        *half = Some(unborn.forget());
        drop(half);
        let imported = take_in(rules, unborn.worker(), events, begin_us);
        let imported = imported.map_err(|error| {
            wait_for_signal(&half_worker);
            refused(&self.file, error)
        })?;
        let worker = unborn.publish().map_err(|error| {
            wait_for_signal(&half_worker);
            super::new::start_failure(error)
        })?;
        let name = &worker.meta.name;
        output::write(format!("{name}\n"))?;
        eprintln!(
            "{} of output in {}; watch it with `abide replay {name}`",
            bytes(imported.output_bytes),
            export::shown_length(imported.length_us)
        );
        if imported.markers_left_out > 0 {
            let count = imported.markers_left_out;
            let are = if count == 1 { "marker was" } else { "markers were" };
            eprintln!("{count} {are} left out: abide's recordings have no markers");
        }
        Ok(0)
    }
}

/// If a signal has begun to remove the worker, waits until the signal ends this program. So a step that fails because the
/// worker is gone is not reported as an error.
fn wait_for_signal(half: &Mutex<Option<Forget>>) {
    drop(lock(half));
}

fn lock(half: &Mutex<Option<Forget>>) -> MutexGuard<'_, Option<Forget>> {
    half.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a worker, and says when its recording begins.
fn begin(
    home: &Home,
    settings: &Settings,
    import: &Import,
    events: &Events<Box<dyn BufRead>>,
) -> Result<(UnbornWorker, u64), Failure> {
    let header = events.header();
    let began = header.begin_us().and_then(|us| Timestamp::from_microsecond(i64::try_from(us).ok()?).ok());
    let began = began.unwrap_or_else(Timestamp::now);
    let stem = import.file.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "-");
    let command = header.command.as_deref().map(model::display_safe);
    let new = NewWorker {
        id: None,
        session: None,
        agent: None,
        name: import.name.clone(),
        command: vec![command.or(stem.map(model::display_safe)).unwrap_or_else(|| "import".to_owned())],
        cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        size: header.size,
        size_policy: SizePolicy::default(),
        grace_ms: settings.grace_ms,
        // The person wants all of the recording.
        recording_bytes: u64::MAX,
        mask: settings.mask,
        environment: Vec::new(),
        hook_settings: None,
        shell_integration: false,
        variables: Vec::new(),
        program: PathBuf::new(),
        scope: false,
    };
    let unborn = UnbornWorker::begin(home, &new, stem.unwrap_or("import"), began);
    let begin_us = u64::try_from(began.as_microsecond()).unwrap_or(0);
    Ok((unborn.map_err(super::new::start_failure)?, begin_us))
}

/// Writes the recording, and brings it to rest.
fn take_in(
    rules: Arc<Rules>,
    worker: &Worker,
    events: Events<Box<dyn BufRead>>,
    begin_us: u64,
) -> anyhow::Result<Imported> {
    let mut status = ExitStatus::Unknown;
    let noted = events.inspect(|event| {
        if let Ok(export::import::Event { kind: export::import::EventKind::Exit(exit), .. }) = event {
            status = *exit;
        }
    });
    let (size, id) = (worker.meta.size, worker.dir.id());
    let imported = write_recording(noted, &worker.dir.recording(), id, size, begin_us);
    let imported = imported.map_err(|error| match error {
        WriteRecordingError::Import(error) => anyhow::Error::from(error),
        WriteRecordingError::Write(error) => anyhow::Error::from(error).context("cannot write the recording"),
    })?;
    let ended_us = i64::try_from(begin_us.saturating_add(imported.length_us)).unwrap_or(i64::MAX);
    let at = Timestamp::from_microsecond(ended_us).unwrap_or_else(|_| Timestamp::now());
    let note =
        ExitNote { status, at, offset: Offset(imported.output_bytes), survivors: 0, on_request: false };
    worker.dir.write_exit_note(&note).context("cannot write the exit note")?;
    let masks = Masks { policy: worker.meta.mask, rules, are_complete: true };
    rest::seal_with(worker, &masks, true, TURN_WITHIN).context("cannot seal the recording")?;
    Ok(imported)
}

fn refused(file: &Path, error: anyhow::Error) -> Failure {
    Failure::from(error.context(format!("cannot import `{}`", file.display())))
        .hint("abide imports asciicast files, as `asciinema rec` and `abide export` write them")
}
