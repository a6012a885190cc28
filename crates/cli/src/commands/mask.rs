//! `abide mask`: shows what abide would mask.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use masking::{PrintedLine, PrintedText};
use model::TermSize;
use serde::Serialize;

use crate::failure::{Failure, NO};
use crate::table::Tint;
use crate::{output, rules, workers};

/// The terminal that the text is printed on: the usual size.
const COLS: u16 = 80;
const ROWS: u16 = 24;
/// How much of the text is read at once.
const PART: usize = 64 << 10;

/// Check what abide masks in recordings
#[derive(Subcommand)]
pub(super) enum Mask {
    Test(Test),
}

/// Show what abide would mask in a text
///
/// Reads a file or standard input, and masks it as a recording in which the text was printed: with the rules that come with
/// abide, your own rules in `masking.toml`, and the secrets of this environment; across colours, titles and wrapped lines.
/// Prints each line in which it would mask something, as it would store that line, and the rules that found it. Exits
/// with 1 if there is no such line. abide cannot recognise every secret.
#[derive(Args)]
pub(super) struct Test {
    /// The file to read; by default standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Also mask the secrets in the environment of this worker: its name, or the beginning of its id
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// Print JSON, one finding in each line
    #[arg(long)]
    json: bool,
}

/// A finding for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    line: usize,
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
        let home = workers::home()?;
        let rules = match &self.worker {
            None => rules::masks(&home)?.common(),
            Some(name) => rules::rules_for(&home, &workers::called(&home, name)?.dir)?,
        };
        let mut input: Box<dyn Read> = match &self.file {
            None => Box::new(io::stdin().lock()),
            Some(path) => {
                Box::new(File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?)
            }
        };
        let mut text = PrintedText::new(rules, TermSize::clamped(COLS, ROWS));
        let (mut findings, mut lines) = (0, 0);
        let mut part = vec![0; PART];
        loop {
            let len = match input.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.context("cannot read the text")?,
            };
            let found = if len == 0 { text.end() } else { text.print(&part[..len]) };
            for line in &found {
                output::write(if self.json { as_json(line)? } else { for_people(line) })?;
                findings += line.findings.len();
            }
            lines += found.len();
            if len == 0 {
                break;
            }
        }
        if !self.json {
            let secrets = if findings == 1 { "1 secret".to_owned() } else { format!("{findings} secrets") };
            eprintln!(
                "abide would mask {secrets} in {lines} of {} lines; it cannot recognise every secret",
                text.lines()
            );
        }
        Ok(if findings == 0 { NO } else { 0 })
    }
}

fn as_json(line: &PrintedLine) -> Result<String, Failure> {
    let mut text = String::new();
    for finding in &line.findings {
        let (start, end) = (finding.range.start, finding.range.end);
        let found = Found { line: line.number, rule: &finding.rule, start, end };
        text += &serde_json::to_string(&found).context("cannot write JSON")?;
        text.push('\n');
    }
    Ok(text)
}

fn for_people(line: &PrintedLine) -> String {
    let colours = output::takes_colours();
    let mut names: Vec<&str> = line.findings.iter().map(|finding| finding.rule.as_ref()).collect();
    names.dedup();
    let place = Tint::Faint.paint(&format!("{}:", line.number), colours);
    let names = Tint::Yellow.paint(&names.join(", "), colours);
    format!("{place} {}  {names}\n", model::display_safe(&line.text))
}
