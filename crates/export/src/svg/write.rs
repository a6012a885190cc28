//! The text of a picture.

use std::collections::HashMap;
use std::fmt::Write;

use terminal::CursorShape;

use super::canvas::{Canvas, Shown, Version};
use super::film::{CursorAt, Film};
use super::markup::{CELL_HEIGHT, CELL_WIDTH, FONT_SIZE, xml};
use super::row::UNSEEN;
use super::timing::percent;
use super::{Picture, Theme};
use crate::error::ExportError;
use crate::palette::{DARK, LIGHT, Palette, Rgb, hex, rgb};
use crate::subject::Subject;

/// More than this is too much to be loaded with a page, and code hosts show no larger pictures.
pub(super) const MOST_BYTES: usize = 4 << 20;

/// How long the last screen stays before the picture begins again.
const END_PAUSE_MS: u64 = 3_000;

/// What is around the screen.
const PADDING: i64 = 16;
/// The height of a bar with the title.
const BAR_HEIGHT: i64 = 36;
/// What the title leaves free on both sides.
const BAR_SIDE: i64 = 90;
/// About how wide a letter of the title is.
const BAR_LETTER: i64 = 8;

const FONTS: &str = "ui-monospace,SF Mono,Cascadia Mono,JetBrains Mono,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,\
                     Noto Sans Mono CJK SC,monospace";

/// Writes everything.
pub(super) fn picture(
    film: &Film,
    canvas: &Canvas,
    subject: &Subject,
    picture: &Picture,
) -> Result<String, ExportError> {
    let last_ms = film.frames.last().map_or(0, |frame| frame.at_ms);
    let times = film.frames.iter().map(|frame| frame.at_ms).collect();
    let mut motion =
        Motions { times, total_ms: last_ms + END_PAUSE_MS, names: HashMap::new(), css: String::new() };
    let mut sheet = String::new();
    motion.window(&canvas.offsets);
    write_lines(film, canvas, &mut motion, &mut sheet)?;
    motion.cursor(film);

    let (width, height) = (i64::from(film.cols) * CELL_WIDTH, i64::from(film.height) * CELL_HEIGHT);
    let top = if picture.title_bar { BAR_HEIGHT + PADDING / 2 } else { PADDING };
    let (whole_width, whole_height) = (width + 2 * PADDING, top + height + PADDING);
    let title = xml(&subject.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole_width}\" height=\"{whole_height}\" \
         viewBox=\"0 0 {whole_width} {whole_height}\" xml:space=\"preserve\">\n<title>{title}</title>\n<style>{}{}{}</style>\n\
         <rect class=\"w\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"9\"/>\n",
        looks(picture.theme),
        film.sheet.css(),
        motion.sheet(),
        whole_width - 1,
        whole_height - 1,
    );
    if picture.title_bar {
        write_bar(whole_width, &subject.title, &mut out);
    }
    let _ = write!(
        out,
        "<svg x=\"{PADDING}\" y=\"{top}\" width=\"{width}\" height=\"{height}\">\n<g class=\"t\">\n{sheet}</g>\n\
         <rect class=\"c\" width=\"{CELL_WIDTH}\" height=\"{CELL_HEIGHT}\"/>\n</svg>\n</svg>\n"
    );
    if out.len() > MOST_BYTES { Err(ExportError::TooLarge) } else { Ok(out) }
}

/// A title between three dots and nothing, as many windows have it.
fn write_bar(width: i64, title: &str, out: &mut String) {
    let _ = write!(out, "<path class=\"e\" d=\"M1 {BAR_HEIGHT}H{}\"/>", width - 1);
    for (dot, color) in ["#f0716b", "#dfb15b", "#73c779"].iter().enumerate() {
        let _ = write!(out, "<circle cx=\"{}\" cy=\"18\" r=\"6\" fill=\"{color}\"/>", 22 + 20 * dot);
    }
    let fitting = usize::try_from((width - 2 * BAR_SIDE) / BAR_LETTER).unwrap_or(0);
    let shown: String = match title.chars().count() > fitting {
        true => title.chars().take(fitting).chain(['\u{2026}']).collect(),
        false => title.to_owned(),
    };
    let _ = writeln!(out, "<text class=\"h\" x=\"{}\" y=\"23\">{}</text>", width / 2, xml(&shown));
}

/// How everything looks but what programs coloured.
fn looks(theme: Theme) -> String {
    let dark = colors(&DARK, rgb(0x2a2f38), rgb(0x8d96a3));
    let light = colors(&LIGHT, rgb(0xdcdfe4), rgb(0x5d6672));
    let colors = match theme {
        Theme::Dark => dark,
        Theme::Light => light,
        Theme::Auto => format!("{dark}@media(prefers-color-scheme:light){{{light}}}"),
    };
    format!(
        "text{{font:{FONT_SIZE}px {FONTS};font-variant-ligatures:none;white-space:pre;direction:ltr;unicode-bidi:bidi-override}}\
         .h{{font:13px system-ui,sans-serif;text-anchor:middle}}.{UNSEEN}{{fill:none}}.c{{opacity:.6}}{colors}"
    )
}

fn colors(palette: &Palette, edge: Rgb, faint: Rgb) -> String {
    let (text, behind) = (hex(palette.foreground), hex(palette.background));
    let (edge, faint) = (hex(edge), hex(faint));
    format!(".t,.c{{fill:{text}}}.w{{fill:{behind};stroke:{edge}}}.e{{stroke:{edge}}}.h{{fill:{faint}}}")
}

/// Writes every version of every line, with the class that shows it in its time.
fn write_lines(
    film: &Film,
    canvas: &Canvas,
    motions: &mut Motions,
    out: &mut String,
) -> Result<(), ExportError> {
    let versions: Vec<(i64, &Version, Option<String>)> = canvas
        .lines
        .iter()
        .flat_map(|(number, line)| line.versions.iter().map(|version| (*number, version)))
        .map(|(number, version)| (number * CELL_HEIGHT, version, motions.shown(&version.shown)))
        .collect();
    for same in versions.chunk_by(|one, next| one.2 == next.2) {
        // What appears and vanishes together is one group.
        let group = same[0].2.as_deref().filter(|_| same.len() > 1);
        if let Some(group) = group {
            let _ = write!(out, "<g class=\"{group}\">");
        }
        for (top, version, class) in same {
            let class = if group.is_some() { None } else { class.as_deref() };
            film.rows[version.row].write(*top, class, out);
            out.push('\n');
            if out.len() + motions.css.len() > MOST_BYTES {
                return Err(ExportError::TooLarge);
            }
        }
        if group.is_some() {
            out.push_str("</g>\n");
        }
    }
    Ok(())
}

/// The key frames.
struct Motions {
    /// When each frame begins.
    times: Vec<u64>,
    total_ms: u64,
    /// The names of what is shown in the same frames.
    names: HashMap<Vec<Shown>, String>,
    css: String,
}

impl Motions {
    /// All rules about motion; none if nothing moves.
    fn sheet(&self) -> String {
        if self.times.len() < 2 {
            return self.css.clone();
        }
        let (seconds, ms) = (self.total_ms / 1000, self.total_ms % 1000);
        format!(
            "*{{animation:{seconds}.{ms:03}s step-end infinite}}{}\
             @media(prefers-reduced-motion:reduce){{*{{animation:none!important}}}}",
            self.css
        )
    }

    fn percent(&self, frame: usize) -> String {
        percent(self.times[frame], self.total_ms)
    }

    /// The class of something that is visible in these frames; none if it always is.
    fn shown(&mut self, shown: &[Shown]) -> Option<String> {
        if shown == [(Shown { from: 0, to: None })] {
            return None;
        }
        if let Some(name) = self.names.get(shown) {
            return Some(name.clone());
        }
        let name = format!("a{}", self.names.len());
        let mut frames = String::new();
        if shown.first().is_some_and(|first| first.from > 0)
            && shown.last().is_some_and(|last| last.to.is_none())
        {
            frames.push_str("0%{visibility:hidden}");
        }
        for Shown { from, to } in shown {
            let _ = write!(frames, "{}{{visibility:visible}}", self.percent(*from));
            if let Some(to) = to {
                let _ = write!(frames, "{}{{visibility:hidden}}", self.percent(*to));
            }
        }
        // Where nothing is animated, the last screen is seen.
        let hidden =
            if shown.last().is_some_and(|last| last.to.is_some()) { ";visibility:hidden" } else { "" };
        let _ = writeln!(self.css, ".{name}{{animation-name:{name}{hidden}}}@keyframes {name}{{{frames}}}");
        self.names.insert(shown.to_vec(), name.clone());
        Some(name)
    }

    /// Moves the sheet to where it is in each frame.
    fn window(&mut self, offsets: &[i64]) {
        let place = |offset: i64| format!("transform:translateY({}px)", -offset * CELL_HEIGHT);
        let last = offsets.last().copied().unwrap_or(0);
        if offsets.iter().all(|offset| *offset == 0) {
            return;
        }
        let mut frames = String::new();
        let mut present = None;
        for (frame, offset) in offsets.iter().enumerate() {
            if present.replace(*offset) != Some(*offset) {
                let _ = write!(frames, "{}{{{}}}", self.percent(frame), place(*offset));
            }
        }
        let _ = writeln!(self.css, ".t{{animation-name:t;{}}}@keyframes t{{{frames}}}", place(last));
    }

    fn cursor(&mut self, film: &Film) {
        let look = |before: Option<CursorAt>, cursor: Option<CursorAt>| match (before, cursor) {
            (_, None) => "visibility:hidden".to_owned(),
            (Some(_), Some(cursor)) => format!("transform:{}", cursor_place(cursor)),
            (None, Some(cursor)) => format!("visibility:visible;transform:{}", cursor_place(cursor)),
        };
        let mut frames = String::new();
        let mut present = None;
        for (number, frame) in film.frames.iter().enumerate() {
            let before = present.replace(frame.cursor);
            if before != Some(frame.cursor) {
                let look = look(before.flatten(), frame.cursor);
                let _ = write!(frames, "{}{{{look}}}", self.percent(number));
            }
        }
        let last = look(None, film.frames.last().and_then(|frame| frame.cursor));
        let name = if film.frames.len() > 1 { "animation-name:c;" } else { "" };
        let _ = write!(self.css, ".c{{{name}{last}}}");
        if film.frames.len() > 1 {
            let _ = write!(self.css, "@keyframes c{{{frames}}}");
        }
    }
}

fn cursor_place(cursor: CursorAt) -> String {
    let (x, y) = (i64::from(cursor.col) * CELL_WIDTH, i64::from(cursor.row) * CELL_HEIGHT);
    match cursor.shape {
        CursorShape::Block => format!("translate({x}px,{y}px)"),
        CursorShape::Underline => format!("translate({x}px,{}px)scaleY(.125)", y + CELL_HEIGHT - 2),
        CursorShape::Bar => format!("translate({x}px,{y}px)scaleX(.2)"),
    }
}
