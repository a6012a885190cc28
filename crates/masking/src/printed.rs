//! A text as a recording would have it: printed on a terminal, and masked there.

use std::sync::Arc;

use model::TermSize;

use crate::mask::{Mask, apply};
use crate::masker::Masker;
use crate::rules::{Finding, Rules};

/// A line of a printed text in which something is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    /// Its number, from 1 on.
    pub number: usize,
    /// The line with its secrets masked.
    pub text: String,
    /// The secrets, in order. Their ranges are those of the bytes in the line as it was, colours included.
    pub findings: Vec<Finding>,
}

/// Prints a text on a terminal of this size, as `cat` does, and gives the lines in which a secret is masked.
pub fn mask_printed(rules: &Arc<Rules>, size: TermSize, text: &[u8]) -> Vec<PrintedLine> {
    let mut masker = Masker::new(Arc::clone(rules), size);
    // A terminal goes to the first column because the kernel adds a carriage return to every line end.
    let mut printed = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        printed.extend_from_slice(bare);
        if bare.len() < line.len() {
            printed.extend_from_slice(b"\r\n");
        }
    }
    masker.feed(&printed);
    masker.look();
    let mut masks = masker.take_masks();
    masks.sort_by_key(|mask| mask.at);
    let mut masked = printed.clone();
    apply(&masks, 0, &mut masked);

    let (mut lines, mut rest, mut at) = (Vec::new(), &masks[..], 0);
    for (index, line) in printed.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let end = at + line.len();
        let (here, later) = rest.split_at(rest.partition_point(|mask| mask.at < end as u64));
        if !here.is_empty() {
            let shown: Vec<u8> = masked[at..end].iter().copied().filter(|byte| *byte != 0).collect();
            lines.push(PrintedLine {
                number: index + 1,
                text: String::from_utf8_lossy(&shown).trim_end_matches(['\r', '\n']).to_owned(),
                findings: findings(rules, here, line, at),
            });
        }
        (rest, at) = (later, end);
    }
    lines
}

/// The masks of a line, which begins at byte `at`, put together to the secrets that they are of.
fn findings(rules: &Rules, masks: &[Mask], line: &[u8], at: usize) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for mask in masks {
        let start = mask.at as usize - at;
        let end = (start + usize::from(mask.len)).min(line.len());
        let rule = rules.name_of_mask(mask);
        match findings.last_mut() {
            // A colour may stand inside a secret.
            Some(last) if last.rule == rule && (last.range.end >= start || line[last.range.end] == 0x1b) => {
                last.range.end = last.range.end.max(end);
            }
            _ => findings.push(Finding { rule: rule.to_owned(), range: start..end }),
        }
    }
    findings
}
