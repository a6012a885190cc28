//! The page around the lines, and the lines as markup.

use std::io::{self, Write};

use model::{ExitStatus, TermSize};
use terminal::{Span, StyledRow, css};

use crate::link::is_web;
use crate::marker::{Marker, MarkerKind};
use crate::page_text::{escaped, page_head};
use crate::palette::variables;
use crate::pieces::pieces;
use crate::style_css::Scheme;
use crate::subject::Subject;
use crate::text::{shown_day, shown_length, shown_time};

/// How the page looks.
const STYLES: &str = include_str!("page.css");

/// Nothing is loaded from anywhere, and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page that is being written.
pub(super) struct Page<W> {
    out: W,
    line: Line,
    ended: Option<ExitStatus>,
}

/// The line that was written last.
enum Line {
    /// There is none, or it is over.
    None,
    /// It may go on, behind so many blank columns.
    Open { blanks: u16 },
}

impl<W: Write> Page<W> {
    /// Writes everything before the lines.
    pub(super) fn begin(mut out: W, subject: &Subject, begin_us: u64, size: TermSize) -> io::Result<Page<W>> {
        let title = escaped(&subject.title);
        let (time, day) = (shown_time(begin_us), shown_day(begin_us));
        let styles = format!("{}{STYLES}", variables(Scheme::Both));
        out.write_all(page_head(&title, POLICY, &styles).as_bytes())?;
        write!(out, "<header>\n<h1>{title}</h1>\n<dl>\n")?;
        writeln!(out, "<div><dt>Worker</dt><dd>{}</dd></div>", escaped(&subject.worker))?;
        if let Some(command) = &subject.command {
            writeln!(out, "<div><dt>Command</dt><dd><code>{}</code></dd></div>", escaped(command))?;
        }
        writeln!(out, "<div><dt>Began</dt><dd><time datetime=\"{time}\">{day}</time></dd></div>")?;
        write!(
            out,
            "<div><dt>Size</dt><dd>{}\u{d7}{}</dd></div>\n</dl>\n</header>\n<main>\n<pre>\n",
            size.cols(),
            size.rows()
        )?;
        Ok(Page { out, line: Line::None, ended: None })
    }

    /// Writes a row of a screen so many columns wide; it may go on with the line before.
    pub(super) fn row(&mut self, row: &StyledRow, cols: u16) -> io::Result<()> {
        match self.line {
            Line::Open { blanks } if row.wrapped => {
                // One blank column is what a wide character left that did not fit.
                let blanks = if blanks > 1 { usize::from(blanks) } else { 0 };
                self.out.write_all(" ".repeat(blanks).as_bytes())?;
            }
            Line::Open { .. } => self.out.write_all(b"\n")?,
            Line::None => (),
        }
        let written = write_row(&mut self.out, row)?;
        self.line = Line::Open { blanks: cols.saturating_sub(written) };
        Ok(())
    }

    /// Writes a full-screen program's screen.
    pub(super) fn frame(&mut self, rows: &[StyledRow]) -> io::Result<()> {
        self.close_line()?;
        self.out.write_all(b"</pre>\n<pre class=\"frame\">\n")?;
        for row in rows {
            write_row(&mut self.out, row)?;
            self.out.write_all(b"\n")?;
        }
        self.out.write_all(b"</pre>\n<pre>\n")
    }

    /// Writes a remark about a gap. Other marks have none in a text.
    pub(super) fn marker(&mut self, marker: &Marker) -> io::Result<()> {
        if marker.kind != MarkerKind::Gap {
            return Ok(());
        }
        self.close_line()?;
        write!(self.out, "</pre>\n<p class=\"gap\">{}</p>\n<pre>\n", escaped(&marker.label))
    }

    /// Remembers how the child ended.
    pub(super) fn end_with(&mut self, status: ExitStatus) {
        self.ended = Some(status);
    }

    /// Writes everything behind the lines.
    pub(super) fn end(mut self, begin_us: u64, end_us: u64) -> io::Result<()> {
        self.close_line()?;
        let ended = self.ended.map(|status| format!("{status} \u{b7} ")).unwrap_or_default();
        let (time, day) = (shown_time(end_us), shown_day(end_us));
        let length = shown_length(end_us.saturating_sub(begin_us));
        write!(
            self.out,
            "</pre>\n</main>\n<footer>{ended}<time datetime=\"{time}\">{day}</time>, after {length}</footer>\n\
             </body>\n</html>\n"
        )?;
        self.out.flush()
    }

    fn close_line(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.line, Line::None) {
            Line::Open { .. } => self.out.write_all(b"\n"),
            Line::None => Ok(()),
        }
    }
}

/// Writes the visible part of a row, and returns its number of columns.
fn write_row(out: &mut impl Write, row: &StyledRow) -> io::Result<u16> {
    let written = row.spans.iter().rposition(is_seen).map_or(0, |last| last + 1);
    row.spans[..written].iter().try_for_each(|span| write_span(out, span))?;
    Ok(row.spans[..written].iter().map(|span| span.cols).sum())
}

/// Whether there is anything to see of a span at the end of a line.
fn is_seen(span: &Span) -> bool {
    !span.text.trim_end_matches(' ').is_empty() || !css(&span.style, &Scheme::Both).is_empty()
}

fn write_span(out: &mut impl Write, span: &Span) -> io::Result<()> {
    let link = span.link.as_ref().map(|link| link.uri.as_str()).filter(|uri| is_web(uri));
    if let Some(uri) = link {
        let uri = escaped(uri);
        write!(out, "<a href=\"{uri}\" title=\"{uri}\" rel=\"noopener noreferrer\">")?;
    }
    let style = css(&span.style, &Scheme::Both);
    if !style.is_empty() {
        write!(out, "<span style=\"{style}\">")?;
    }
    for piece in pieces(span) {
        let text = escaped(&piece.text);
        match piece.cols {
            // Lines and blocks are cut where fonts have them; only what is wide needs holding in a text to be read.
            Some(cols) if usize::from(cols) != piece.text.chars().count() => {
                write!(out, "<b style=\"width:{cols}ch\">{text}</b>")?;
            }
            _ => out.write_all(text.as_bytes())?,
        }
    }
    if !style.is_empty() {
        out.write_all(b"</span>")?;
    }
    if link.is_some() {
        out.write_all(b"</a>")?;
    }
    Ok(())
}
