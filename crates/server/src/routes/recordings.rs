//! Recordings of workers. All output is masked, and every answer has a bounded size.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use api::{
    ErrorCode, Problem, RecordedLine, RecordedLines, RecordedScreen, RecordingGap, RecordingInfo,
    RecordingMark, RecordingMarks, SearchHit, SearchReply,
};
use axum::body::{Body, Bytes};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{StreamExt, stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use jiff::Timestamp;
use model::{Offset, WorkerId};
use serde::Deserialize;
use tokio::sync::mpsc;

use super::Mine;
use crate::app::{App, blocking};
use crate::problem::{Failure, Json, Path, Query};
use crate::recordings::{
    self, Asked, Bound, Case, Format, MOST_OUTPUT_BYTES, MarkKind, Recorded, RecordingError, Span, Stop,
    WantedLines,
};

/// How long reading a recording may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an export may take. It may be long, and the client may be slow.
const EXPORT_PATIENCE: Duration = Duration::from_secs(3600);

/// How many pieces of an export may wait for a slow client.
const PIECES: usize = 4;

/// The size of a piece.
const PIECE_BYTES: usize = 64 << 10;

impl App {
    /// Reads from a recording. Stops when the caller no longer waits.
    pub(crate) async fn recorded<T: Send + 'static>(
        &self,
        id: WorkerId,
        read: impl FnOnce(&Recorded, &Stop) -> Result<T, RecordingError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.workers().get(id).await?;
        let node = self.node().clone();
        let stop = Stop::after(PATIENCE);
        let _guard = stop.when_dropped();
        let read = move || {
            let recorded = node.recorded(id).map_err(|error| unmaskable(&error))?;
            read(&recorded, &stop).map_err(|error| failure(&error))
        };
        let Some(share) = self.share() else { return blocking(read).await? };
        let _permits = share.read().await?;
        share.run(read).await?
    }
}

/// The masking rules cannot be read, so no output is sent.
fn unmaskable(error: &recordings::MasksError) -> Failure {
    Failure::new(ErrorCode::Unavailable, error.to_string())
        .hint("correct `masking.toml` in the data directory")
}

fn failure(error: &RecordingError) -> Failure {
    let code = match error {
        RecordingError::Empty => ErrorCode::NotFound,
        RecordingError::Pattern(_)
        | RecordingError::LongPattern { .. }
        | RecordingError::TooLong
        | RecordingError::TooLarge => ErrorCode::BadQuery,
        RecordingError::Stopped(_) | RecordingError::Read(_) | RecordingError::Write(_) => {
            ErrorCode::Unavailable
        }
    };
    Failure::new(code, model::display_safe(&error.to_string()))
}

/// Information about a worker's recording.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id")),
    responses((status = 200, body = RecordingInfo), (status = "4XX", body = Problem)))]
pub(crate) async fn info(Mine(app): Mine, Path(id): Path<WorkerId>) -> Result<Json<RecordingInfo>, Failure> {
    let info = app.recorded(id, Recorded::info).await?;
    let gap = |gap: &recordings::Gap| RecordingGap { from: gap.from.0, to: gap.to.map(|to| to.0) };
    Ok(Json(RecordingInfo {
        first_offset: info.first_offset.0,
        end_offset: info.end_offset.0,
        first_at: info.first_at,
        last_at: info.last_at,
        segments: info.segments,
        bytes_on_disk: info.bytes_on_disk,
        cols: info.size.cols(),
        rows: info.size.rows(),
        gaps: info.gaps.iter().map(gap).collect(),
        gap_count: info.gap_count,
    }))
}

/// A part of a recording.
#[derive(Debug, Deserialize)]
pub(crate) struct Stretch {
    from: Option<u64>,
    to: Option<u64>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    limit: Option<usize>,
}

/// A worker's output as bytes, selected by offsets or by times. The headers `abide-from` and `abide-to` say which bytes
/// they are, and `abide-more` says whether there are more.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording/output", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("from" = Option<u64>, Query, description = "from this offset on"),
        ("to" = Option<u64>, Query, description = "up to this offset"),
        ("since" = Option<String>, Query, description = "from this time on", format = DateTime),
        ("until" = Option<String>, Query, description = "up to this time", format = DateTime),
        ("limit" = Option<u64>, Query, description = "the largest number of bytes; at most 4 MiB")),
    responses((status = 200, body = String, content_type = "application/octet-stream"),
        (status = "4XX", body = Problem)))]
pub(crate) async fn output(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(stretch): Query<Stretch>,
) -> Result<Response, Failure> {
    let bound = |offset: Option<u64>, time: Option<Timestamp>| {
        offset.map(|offset| Bound::Offset(Offset(offset))).or(time.map(Bound::Time))
    };
    let span = Span { from: bound(stretch.from, stretch.since), to: bound(stretch.to, stretch.until) };
    let limit = stretch.limit.unwrap_or(MOST_OUTPUT_BYTES).min(MOST_OUTPUT_BYTES);
    let chunk = app.recorded(id, move |recorded, stop| recorded.output(span, limit, stop)).await?;
    let mut answer = Response::new(Body::from(chunk.bytes));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let number = |offset: Offset| HeaderValue::from(offset.0);
    headers.insert(HeaderName::from_static("abide-from"), number(chunk.from));
    headers.insert(HeaderName::from_static("abide-to"), number(chunk.to));
    let more = if chunk.more { "true" } else { "false" };
    headers.insert(HeaderName::from_static("abide-more"), HeaderValue::from_static(more));
    Ok(answer)
}

/// A page of a recording's lines or marks.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    after: Option<String>,
    limit: Option<usize>,
}

impl Page {
    fn after(&self) -> Result<Option<recordings::Cursor>, Failure> {
        let cursor = self.after.as_deref().map(str::parse).transpose();
        cursor.map_err(|_| Failure::new(ErrorCode::BadQuery, "`after` is not the `next` of a page"))
    }
}

/// The lines that a worker printed, each once.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording/lines", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("since" = Option<String>, Query, description = "from this time on", format = DateTime),
        ("until" = Option<String>, Query, description = "up to this time", format = DateTime),
        ("after" = Option<String>, Query, description = "the `next` of the previous page"),
        ("limit" = Option<u64>, Query, description = "the largest number of lines")),
    responses((status = 200, body = RecordedLines), (status = "4XX", body = Problem)))]
pub(crate) async fn lines(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(some): Query<Page>,
) -> Result<Json<RecordedLines>, Failure> {
    let mut wanted =
        WantedLines { since: some.since, until: some.until, after: some.after()?, ..WantedLines::default() };
    wanted.limit = some.limit.unwrap_or(wanted.limit);
    let page = app.recorded(id, move |recorded, stop| recorded.lines(wanted, stop)).await?;
    let line = |line: recordings::Line| RecordedLine { text: line.text, offset: line.offset.0, at: line.at };
    let next = page.next.map(|next| next.to_string());
    Ok(Json(RecordedLines { lines: page.items.into_iter().map(line).collect(), next }))
}

/// A recording's marks: commands and their ends, resizes, gaps, the exit.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording/marks", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("after" = Option<String>, Query, description = "the `next` of the previous page"),
        ("limit" = Option<u64>, Query, description = "the largest number of marks")),
    responses((status = 200, body = RecordingMarks), (status = "4XX", body = Problem)))]
pub(crate) async fn marks(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(some): Query<Page>,
) -> Result<Json<RecordingMarks>, Failure> {
    let (after, limit) = (some.after()?, some.limit.unwrap_or(usize::MAX));
    let page = app.recorded(id, move |recorded, stop| recorded.marks(after, limit, stop)).await?;
    let mark = |mark: recordings::Mark| {
        let (kind, text) = in_words(mark.kind);
        RecordingMark { offset: mark.offset.0, at: mark.at, kind: kind.to_owned(), text }
    };
    let next = page.next.map(|next| next.to_string());
    Ok(Json(RecordingMarks { marks: page.items.into_iter().map(mark).collect(), next }))
}

fn in_words(kind: MarkKind) -> (&'static str, Option<String>) {
    match kind {
        MarkKind::Prompt => ("prompt", None),
        MarkKind::CommandStarted { command } => ("command", command),
        MarkKind::CommandEnded { code } => ("commandEnd", code.map(|code| code.to_string())),
        MarkKind::Resize(size) => ("resize", Some(size.to_string())),
        MarkKind::Gap { .. } => ("gap", None),
        MarkKind::Exit(status) => ("exit", Some(status.to_string())),
        MarkKind::Notification(notification) => ("notification", Some(notification.body)),
        MarkKind::Bell => ("bell", None),
    }
}

/// A moment of a recording.
#[derive(Debug, Deserialize)]
pub(crate) struct Moment {
    offset: Option<u64>,
    at: Option<Timestamp>,
    history: Option<usize>,
}

/// The screen at a moment of a recording. By default the last screen.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording/screen", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("offset" = Option<u64>, Query, description = "the screen at this offset of the output"),
        ("at" = Option<String>, Query, description = "the screen at this time", format = DateTime),
        ("history" = Option<u64>, Query, description = "the largest number of lines of history")),
    responses((status = 200, body = RecordedScreen), (status = "4XX", body = Problem)))]
pub(crate) async fn screen(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(moment): Query<Moment>,
) -> Result<Json<RecordedScreen>, Failure> {
    let bound = moment.offset.map(|offset| Bound::Offset(Offset(offset))).or(moment.at.map(Bound::Time));
    let history = moment.history.unwrap_or(0);
    let screen = app.recorded(id, move |recorded, stop| recorded.screen_at(bound, history, stop)).await?;
    Ok(Json(RecordedScreen {
        offset: screen.offset.0,
        at: screen.at,
        cols: screen.size.cols(),
        rows: screen.size.rows(),
        text: screen.rows,
        snapshot: STANDARD.encode(screen.snapshot),
        doubtful: screen.is_doubtful,
    }))
}

/// The parameters of an export.
#[derive(Debug, Deserialize)]
pub(crate) struct Export {
    format: Option<ExportFormat>,
    #[serde(default)]
    still: bool,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// asciicast v3.
    Asciicast,
    /// Plain text: the settled lines.
    Text,
    /// An HTML page.
    Html,
    /// An HTML page that plays the recording.
    Player,
    /// An animated SVG picture.
    Svg,
}

/// A recording as a file. Browsers save it and do not show it.
#[utoipa::path(get, path = "/api/workers/{workerId}/recording/export", tag = "recordings",
    params(("workerId" = String, Path, description = "the worker's id"),
        ("format" = inline(Option<ExportFormat>), Query, description = "the format; by default asciicast"),
        ("still" = Option<bool>, Query, description = "for SVG: only the last screen, without animation"),
        ("since" = Option<String>, Query, description = "from this time on", format = DateTime),
        ("until" = Option<String>, Query, description = "up to this time", format = DateTime)),
    responses((status = 200, body = String, content_type = "application/octet-stream"),
        (status = "4XX", body = Problem)))]
pub(crate) async fn export(
    Mine(app): Mine,
    Path(id): Path<WorkerId>,
    Query(export): Query<Export>,
) -> Result<Response, Failure> {
    let share = app.share().cloned().ok_or_else(Failure::unauthenticated)?;
    // Both the thread and the answer hold it: the export is over when both are.
    let permits = Arc::new(share.export()?);
    // Check before the first byte whether there is a recording.
    app.recorded(id, Recorded::info).await?;
    let (format, ending) = match export.format.unwrap_or(ExportFormat::Asciicast) {
        ExportFormat::Asciicast => (Format::Asciicast, "cast"),
        ExportFormat::Text => (Format::Text { times: false }, "txt"),
        ExportFormat::Html => (Format::Html, "html"),
        ExportFormat::Player => (Format::Player, "player.html"),
        ExportFormat::Svg => (Format::Svg { still: export.still }, "svg"),
    };
    let node = app.node().clone();
    let range = (export.since, export.until);
    let (sender, mut receiver) = mpsc::channel(PIECES);
    let stop = Stop::after(EXPORT_PATIENCE);
    let guard = stop.when_dropped();
    let threads_permits = permits.clone();
    share.start(move || {
        let _permits = threads_permits;
        let mut pieces = Pieces { sender, piece: Vec::new() };
        let written = node.recorded(id).map_err(|error| unmaskable(&error)).and_then(|recorded| {
            recorded
                .export(format, range, &mut pieces, &stop)
                .and_then(|()| pieces.flush().map_err(RecordingError::Write))
                .map_err(|error| failure(&error))
        });
        if let Err(refused) = written {
            let _ = pieces.sender.blocking_send(Err(refused));
        }
    })?;
    // An empty range fails before the first piece.
    let first = receiver.recv().await.transpose()?;
    let rest = stream::unfold((receiver, (guard, permits)), async |(mut receiver, held)| {
        // On an error, close the connection, so that an incomplete file does not look complete.
        let piece = receiver.recv().await?.map_err(|refused| io::Error::other(format!("{refused:?}")));
        Some((piece, (receiver, held)))
    });
    let mut answer = Response::new(Body::from_stream(stream::iter(first.map(Ok)).chain(rest)));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let name = format!("attachment; filename=\"{id}.{ending}\"");
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&name).expect("ids are ASCII"));
    Ok(answer)
}

/// The writer of an export. It sends pieces, and waits when too many of them wait for the client.
struct Pieces {
    sender: mpsc::Sender<Result<Bytes, Failure>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        if piece.is_empty() {
            return Ok(());
        }
        self.sender.blocking_send(Ok(piece.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The parameters of a search.
#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    pattern: String,
    worker: Option<WorkerId>,
    #[serde(default)]
    text: bool,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    context: Option<usize>,
    limit: Option<usize>,
    before: Option<String>,
}

/// Searches the recordings of all workers of the owner, newest first.
#[utoipa::path(get, path = "/api/search", tag = "recordings",
    params(("pattern" = String, Query, description = "a regular expression"),
        ("text" = Option<bool>, Query, description = "whether the pattern is plain text and not a regular expression"),
        ("worker" = Option<String>, Query, description = "only in this worker's recording"),
        ("since" = Option<String>, Query, description = "from this time on", format = DateTime),
        ("until" = Option<String>, Query, description = "up to this time", format = DateTime),
        ("context" = Option<u64>, Query, description = "the number of lines before and after each match"),
        ("limit" = Option<u64>, Query, description = "the largest number of matches; by default 100"),
        ("before" = Option<String>, Query, description = "the `next` of the previous page")),
    responses((status = 200, body = SearchReply), (status = "4XX", body = Problem)))]
pub(crate) async fn search(
    Mine(app): Mine,
    Query(search): Query<Search>,
) -> Result<Json<SearchReply>, Failure> {
    let before = search.before.as_deref().map(str::parse).transpose();
    let before =
        before.map_err(|_| Failure::new(ErrorCode::BadQuery, "`before` is not the `next` of a page"))?;
    let mut workers = app.read(store::Reader::worker_ids).await?;
    workers.retain(|id| search.worker.is_none_or(|wanted| *id == wanted));
    let node = app.node().clone();
    let stop = Stop::after(PATIENCE);
    let _guard = stop.when_dropped();
    let found = blocking(move || {
        let all_recorded = node.all_recorded().map_err(|error| unmaskable(&error))?;
        let asked = Asked {
            is_text: search.text,
            case: Case::Smart,
            workers: Some(&workers),
            since: search.since,
            until: search.until,
            context: search.context.unwrap_or(0),
            limit: search.limit.unwrap_or(100),
            before,
            ..Asked::new(&search.pattern)
        };
        all_recorded.search(&asked, &stop).map_err(|error| failure(&error))
    });
    let found = found.await??;
    let hit = |hit: recordings::Hit| SearchHit {
        worker_id: hit.worker,
        offset: hit.offset.0,
        at: hit.at,
        line: hit.line,
        matches: hit.matches.iter().map(|range| [range.start, range.end]).collect(),
        before: hit.before,
        after: hit.after,
    };
    Ok(Json(SearchReply {
        hits: found.hits.into_iter().map(hit).collect(),
        next: found.next.map(|next| next.to_string()),
        complete: found.is_complete,
        damaged: found.damaged.into_iter().collect(),
    }))
}
