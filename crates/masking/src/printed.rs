//! A text as a recording would have it: printed on a terminal, and masked there.

use std::sync::Arc;

use memchr::{memchr_iter, memrchr};
use model::TermSize;

use crate::mask::{Mask, apply};
use crate::masker::Masker;
use crate::rules::{Finding, Rules};

/// When there is more than this, the older lines are handed out.
const MOST: usize = 1 << 20;
/// So much stays: far more than a screen has, and what left it may still be masked.
const KEPT: usize = MOST / 2;

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

/// Prints a text on a terminal, as `cat` does, and hands out the lines in which a secret is masked.
#[derive(Debug)]
pub struct PrintedText {
    rules: Arc<Rules>,
    masker: Masker,
    /// What was printed last and not handed out, from byte `start` of all that was printed.
    printed: Vec<u8>,
    start: u64,
    /// The masks in it.
    masks: Vec<Mask>,
    lines: usize,
}

impl PrintedText {
    /// A text that begins, on a terminal of this size.
    pub fn new(rules: Arc<Rules>, size: TermSize) -> PrintedText {
        let masker = Masker::new(Arc::clone(&rules), size);
        PrintedText { rules, masker, printed: Vec::new(), start: 0, masks: Vec::new(), lines: 0 }
    }

    /// Prints more of it. A line of more than half a MiB is handed out in parts.
    pub fn print(&mut self, text: &[u8]) -> Vec<PrintedLine> {
        let mut lines = Vec::new();
        for part in text.chunks(KEPT) {
            self.print_part(part);
            if self.printed.len() > MOST {
                let older = self.printed.len() - KEPT;
                let end = memrchr(b'\n', &self.printed[..older]).map_or(older, |last| last + 1);
                self.hand_out(end, &mut lines);
            }
        }
        lines
    }

    /// The lines that are left at its end.
    pub fn end(&mut self) -> Vec<PrintedLine> {
        let mut lines = Vec::new();
        self.masker.look();
        self.hand_out(self.printed.len(), &mut lines);
        lines
    }

    /// How many lines there were so far, with those in which nothing is masked.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// A terminal goes to the first column because the kernel adds a carriage return to every line end.
    fn print_part(&mut self, text: &[u8]) {
        let (from, mut at) = (self.printed.len(), 0);
        for end in memchr_iter(b'\n', text) {
            self.printed.extend_from_slice(&text[at..end]);
            self.printed.extend_from_slice(b"\r\n");
            at = end + 1;
        }
        self.printed.extend_from_slice(&text[at..]);
        self.masker.feed(&self.printed[from..]);
    }

    /// Hands out the lines up to byte `end` of what is kept.
    fn hand_out(&mut self, end: usize, lines: &mut Vec<PrintedLine>) {
        self.masks.extend(self.masker.take_masks());
        // What was handed out unmasked stays so.
        self.masks.retain(|mask| mask.at >= self.start);
        self.masks.sort_by_key(|mask| mask.at);
        let printed: Vec<u8> = self.printed.drain(..end).collect();
        let mut masked = printed.clone();
        apply(&self.masks, self.start, &mut masked);

        let (mut rest, mut at) = (&self.masks[..], 0);
        for line in printed.split_inclusive(|byte| *byte == b'\n') {
            self.lines += 1;
            let (begin, end) = (self.start + at as u64, at + line.len());
            let (here, later) =
                rest.split_at(rest.partition_point(|mask| mask.at < begin + line.len() as u64));
            if !here.is_empty() {
                let shown: Vec<u8> = masked[at..end].iter().copied().filter(|byte| *byte != 0).collect();
                lines.push(PrintedLine {
                    number: self.lines,
                    text: String::from_utf8_lossy(&shown).trim_end_matches(['\r', '\n']).to_owned(),
                    findings: findings(&self.rules, here, line, begin),
                });
            }
            (rest, at) = (later, end);
        }
        self.masks = rest.to_vec();
        self.start += end as u64;
    }
}

/// The masks of a line, which begins at position `start`, put together to the secrets that they are of.
fn findings(rules: &Rules, masks: &[Mask], line: &[u8], start: u64) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for mask in masks {
        let from = (mask.at - start) as usize;
        let to = (from + usize::from(mask.len)).min(line.len());
        let rule = rules.name_of_mask(mask);
        match findings.last_mut() {
            // A colour may stand inside a secret.
            Some(last) if last.rule == rule && (last.range.end >= from || line[last.range.end] == 0x1b) => {
                last.range.end = last.range.end.max(to);
            }
            _ => findings.push(Finding { rule: rule.to_owned(), range: from..to }),
        }
    }
    findings
}
