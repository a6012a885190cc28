//! Reads a picture as a browser would: which text is to be seen where, at any time.

use std::collections::HashMap;

use crate::life::size;
use model::TermSize;

/// Measures of a cell.
const CELL: (i64, i64) = (9, 18);

/// A picture.
pub(crate) struct PictureFile {
    /// How long it plays before it begins again; nothing if it does not move.
    pub(crate) total_ms: Option<u64>,
    pub(crate) size: TermSize,
    key_frames: HashMap<String, Vec<(f64, String)>>,
    style: String,
    texts: Vec<Text>,
}

/// A text element.
struct Text {
    classes: Vec<String>,
    y: i64,
    text: String,
}

impl PictureFile {
    pub(crate) fn read(svg: &str) -> PictureFile {
        let (_, style) = svg.split_once("<style>").unwrap();
        let (style, rest) = style.split_once("</style>").unwrap();
        let (_, screen) = rest.split_once("<svg ").unwrap();
        let measure = |name| number(attribute(screen, name).unwrap());
        let size = size((measure("width") / CELL.0) as u16, (measure("height") / CELL.1) as u16);
        let total_ms = style.split_once("*{animation:").map(|(_, rest)| {
            let (seconds, _) = rest.split_once('s').unwrap();
            (seconds.parse::<f64>().unwrap() * 1000.0).round() as u64
        });
        let key_frames = style.split("@keyframes ").skip(1).map(key_frames).collect();
        PictureFile { total_ms, size, key_frames, style: style.to_owned(), texts: texts(screen) }
    }

    /// Every time at which something changes.
    pub(crate) fn times(&self) -> Vec<u64> {
        let Some(total_ms) = self.total_ms else { return vec![0] };
        let shares = self.key_frames.values().flatten().map(|(share, _)| *share);
        // What is written is up to a millionth too early.
        let mut times: Vec<u64> =
            shares.map(|share| (share * total_ms as f64 / 100.0 + 0.4).round() as u64).collect();
        times.sort_unstable();
        times.dedup();
        times
    }

    /// The texts of all rows at a time.
    pub(crate) fn screen(&self, ms: u64) -> Vec<String> {
        let moved = match self.state("t", ms) {
            Some(state) => number(state.trim_start_matches("transform:translateY(")),
            None => 0,
        };
        let mut screen = vec![String::new(); self.size.rows().into()];
        for text in self.texts.iter().filter(|text| self.is_visible(&text.classes, ms)) {
            let row = (text.y - 14 + moved) / CELL.1;
            if let Some(row) = usize::try_from(row).ok().and_then(|row| screen.get_mut(row)) {
                assert_eq!(*row, "", "two texts in one place at {ms} ms: {}", text.text);
                *row = text.text.trim_end().to_owned();
            }
        }
        screen
    }

    /// Column and row of the cursor at a time, if it is shown.
    pub(crate) fn cursor(&self, ms: u64) -> Option<(i64, i64)> {
        let state = self.state("c", ms).unwrap_or_else(|| {
            let (_, rest) = self.style.rsplit_once(".c{").unwrap();
            rest.split_once('}').unwrap().0
        });
        let (x, rest) = state.split_once("translate(")?.1.split_once("px,")?;
        Some((number(x) / CELL.0, number(rest) / CELL.1))
    }

    fn is_visible(&self, classes: &[String], ms: u64) -> bool {
        classes.iter().all(|class| match self.state(class, ms) {
            Some(state) => state == "visibility:visible",
            // Before its first key frame it is as it is without animations.
            None => !self.style.contains(&format!(".{class}{{animation-name:{class};visibility:hidden}}")),
        })
    }

    /// What the last key frame before a time says.
    fn state(&self, name: &str, ms: u64) -> Option<&str> {
        let share = ms as f64 * 100.0 / self.total_ms? as f64;
        let frames = self.key_frames.get(name)?;
        frames.iter().rev().find(|(from, _)| *from <= share).map(|(_, state)| state.as_str())
    }
}

/// The leading number of a text.
fn number(text: &str) -> i64 {
    let end = text.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or_else(|_| panic!("no number: {}", &text[..text.len().min(40)]))
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!("{name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

fn key_frames(text: &str) -> (String, Vec<(f64, String)>) {
    let (name, mut rest) = text.split_once('{').unwrap();
    let mut frames = Vec::new();
    while let Some((share, after)) = rest.split_once("%{").filter(|_| !rest.starts_with('}')) {
        let (state, after) = after.split_once('}').unwrap();
        frames.push((share.parse().unwrap(), state.to_owned()));
        rest = after;
    }
    assert!(frames.is_sorted_by(|one, next| one.0 < next.0), "{name}: {frames:?}");
    (name.to_owned(), frames)
}

/// All text elements, with the classes of what they are in.
fn texts(screen: &str) -> Vec<Text> {
    let (mut texts, mut groups): (Vec<Text>, Vec<Option<String>>) = (Vec::new(), Vec::new());
    let (_, mut rest) = screen.split_once("<g class=\"t\">").unwrap();
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        let class = || attribute(tag, "class").map(str::to_owned);
        match tag.split(' ').next().unwrap() {
            "g" => groups.push(class()),
            "/g" if groups.pop().is_none() => break,
            "text" => {
                let (inner, after) = after.split_once("</text>").unwrap();
                rest = after;
                let classes = groups.iter().flatten().cloned().chain(class()).collect();
                let y = number(attribute(tag, "y").unwrap());
                texts.push(Text { classes, y, text: unescaped(inner) });
            }
            _ => (),
        }
    }
    texts
}

/// The text of an element without the tags in it.
fn unescaped(inner: &str) -> String {
    let text: String = inner
        .split('<')
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('>').unwrap().1 })
        .collect();
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text, |text, (written, meant)| text.replace(written, meant))
}
