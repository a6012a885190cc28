//! `abide mask`: shows what abide would mask.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use masking::{MaskedLine, TextMasker};
use serde::Serialize;

use crate::failure::{Failure, NO};
use crate::table::Tint;
use crate::{output, rules, workers};

/// A line of more than this is looked at in parts.
const MOST_LINE_BYTES: u64 = 1 << 20;

/// Check what abide masks in recordings
#[derive(Subcommand)]
pub(super) enum Mask {
    Test(Test),
}

/// Show what abide would mask in a text
///
/// Reads a file or standard input, line by line. Uses the rules that come with abide, your own rules in `masking.toml`,
/// and the secrets of this environment. Prints each line in which it would mask something, as it would store that line.
/// Exits with 1 if there is no such line. abide cannot recognise every secret.
#[derive(Args)]
pub(super) struct Test {
    /// The file to read; by default standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print JSON, one finding in each line
    #[arg(long)]
    json: bool,
}

/// A finding for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    line: u64,
    rule: &'a str,
    start: usize,
    end: usize,
}

impl Mask {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let Mask::Test(test) = self;
        test.run()
    }
}

impl Test {
    fn run(self) -> Result<u8, Failure> {
        let mut masker = TextMasker::new(rules::masks(&workers::home()?)?.common());
        let mut reader: Box<dyn BufRead> = match &self.file {
            None => Box::new(io::stdin().lock()),
            Some(path) => {
                let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?;
                Box::new(BufReader::new(file))
            }
        };
        let colours = output::takes_colours();
        let (mut number, mut findings, mut lines) = (0, 0, 0);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = io::Read::take(&mut reader, MOST_LINE_BYTES).read_until(b'\n', &mut bytes);
            if read.context("cannot read the text")? == 0 {
                break;
            }
            number += 1;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end_matches(['\n', '\r']);
            let MaskedLine { text, findings: found } = masker.line(text);
            if found.is_empty() {
                continue;
            }
            lines += 1;
            findings += found.len();
            if self.json {
                for finding in &found {
                    let (start, end) = (finding.range.start, finding.range.end);
                    let found = Found { line: number, rule: &finding.rule, start, end };
                    let line = serde_json::to_string(&found).context("cannot write JSON")?;
                    output::write(line + "\n")?;
                }
                continue;
            }
            let mut names: Vec<&str> = found.iter().map(|finding| finding.rule.as_ref()).collect();
            names.dedup();
            let place = Tint::Faint.paint(&format!("{number}:"), colours);
            let names = Tint::Yellow.paint(&names.join(", "), colours);
            let masked = model::display_safe(&text);
            output::write(format!("{place} {masked}  {names}\n"))?;
        }
        if !self.json {
            let secrets = if findings == 1 { "1 secret".to_owned() } else { format!("{findings} secrets") };
            eprintln!(
                "abide would mask {secrets} in {lines} of {number} lines; it cannot recognise every secret"
            );
        }
        Ok(if findings == 0 { NO } else { 0 })
    }
}
