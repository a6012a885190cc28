//! Shows the hits, for people and for programs.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Context;
use home::Worker;
use model::WorkerId;
use playback::{LineKind, PassageLine};
use reading::{Found, FoundPassage};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::Tint;
use crate::{moment, output};

/// A hit for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hit<'a> {
    worker: WorkerId,
    name: &'a str,
    at: u64,
    time: String,
    kind: &'static str,
    text: &'a str,
    /// Where the matches are, in bytes of the text.
    matches: &'a [Range<usize>],
    before: Vec<&'a str>,
    after: Vec<&'a str>,
}

/// One line of JSON for each hit, with so many lines before and after it.
pub(super) fn json(
    found: &Found,
    workers: &BTreeMap<WorkerId, Worker>,
    context: usize,
) -> Result<String, Failure> {
    let mut text = String::new();
    for FoundPassage { worker, passage, .. } in &found.passages {
        let worker = &workers[worker];
        for (place, hit) in passage.lines.iter().enumerate().rev() {
            if !hit.is_hit() {
                continue;
            }
            let (before, after) = (&passage.lines[..place], &passage.lines[place + 1..]);
            let hit = Hit {
                worker: worker.dir.id(),
                name: worker.meta.name.as_str(),
                at: hit.line.at.0,
                time: moment::rfc3339(hit.line.time_us),
                kind: match hit.line.kind {
                    LineKind::Printed => "printed",
                    LineKind::Frame => "frame",
                },
                text: &hit.line.text,
                matches: &hit.matches,
                before: texts(&before[before.len().saturating_sub(context)..]),
                after: texts(&after[..context.min(after.len())]),
            };
            text += &serde_json::to_string(&hit).context("cannot write JSON")?;
            text.push('\n');
        }
    }
    Ok(text)
}

fn texts(lines: &[PassageLine]) -> Vec<&str> {
    lines.iter().map(|line| line.line.text.as_str()).collect()
}

/// Passages under headings; without context, one line for each hit.
pub(super) fn words(found: &Found, workers: &BTreeMap<WorkerId, Worker>, context: usize) -> String {
    let colours = output::takes_colours();
    let mut text = String::new();
    for (number, FoundPassage { worker, passage, .. }) in found.passages.iter().enumerate() {
        let name = Tint::Bold.paint(workers[worker].meta.name.as_str(), colours);
        if context == 0 {
            for hit in passage.hits().rev() {
                let time = Tint::Faint.paint(&moment::local_time(hit.line.time_us), colours);
                text += &format!("{name}  {time}  {}\n", shown(hit, colours));
            }
            continue;
        }
        if number > 0 {
            text.push('\n');
        }
        let time = Tint::Faint.paint(&moment::local_time(passage.time_us()), colours);
        text += &format!("{name}  {time}\n");
        for line in &passage.lines {
            let mark = if line.is_hit() { ">" } else { " " };
            text += format!("{mark} {}", shown(line, colours)).trim_end();
            text.push('\n');
        }
    }
    text
}

/// A line with its matches in colour. What is very long between them is cut.
fn shown(line: &PassageLine, colours: bool) -> String {
    let text = &line.line.text;
    let mut shown = String::new();
    let mut from = 0;
    for found in &line.matches {
        shown += &model::display_safe(&text[from..found.start]);
        shown += &Tint::Red.paint(&model::display_safe(&text[found.clone()]), colours);
        from = found.end;
    }
    shown + &model::display_safe(&text[from..])
}
