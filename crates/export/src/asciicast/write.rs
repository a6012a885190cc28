//! The lines of an asciicast file.

use std::io::{self, Write};
use std::time::Duration;

use model::TermSize;
use serde::Serialize;

use crate::subject::Subject;

/// The terminal that programs were told they have.
const TERMINAL: &str = "xterm-256color";

const SECOND_US: u64 = 1_000_000;

#[derive(Serialize)]
struct Header<'a> {
    version: u8,
    term: Term,
    /// Seconds since the Unix epoch.
    timestamp: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_time_limit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
}

#[derive(Serialize)]
struct Term {
    cols: u16,
    rows: u16,
    r#type: &'static str,
}

/// Writes a file line by line.
pub(super) struct CastWriter<W> {
    out: W,
    /// The time of the latest event.
    time_us: u64,
}

impl<W: Write> CastWriter<W> {
    pub(super) fn begin(
        mut out: W,
        subject: &Subject,
        size: TermSize,
        begin_us: u64,
        idle_limit: Option<Duration>,
    ) -> io::Result<CastWriter<W>> {
        let header = Header {
            version: 3,
            term: Term { cols: size.cols(), rows: size.rows(), r#type: TERMINAL },
            timestamp: begin_us / SECOND_US,
            idle_time_limit: idle_limit.map(|limit| limit.as_secs_f64()),
            command: subject.command.as_deref(),
            title: &subject.title,
        };
        serde_json::to_writer(&mut out, &header)?;
        out.write_all(b"\n")?;
        Ok(CastWriter { out, time_us: begin_us })
    }

    /// Writes an event. An interval is a whole number of microseconds, as times in recordings are, so that nothing is
    /// rounded and no error adds up; it is never negative.
    pub(super) fn event(&mut self, time_us: u64, code: &str, data: &str) -> io::Result<()> {
        let interval_us = time_us.saturating_sub(self.time_us);
        self.time_us += interval_us;
        write!(self.out, "[{}, \"{code}\", ", Seconds(interval_us))?;
        serde_json::to_writer(&mut self.out, data)?;
        self.out.write_all(b"]\n")
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Microseconds, shown as seconds with as many digits as they need.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = format!("{:06}", self.0 % SECOND_US);
        let digits = digits.trim_end_matches('0');
        write!(f, "{}.{}", self.0 / SECOND_US, if digits.is_empty() { "0" } else { digits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_the_digits_they_need() {
        let shown = [0, 1, 1_500_000, 61_000_010].map(|us| Seconds(us).to_string());
        assert_eq!(shown, ["0.0", "0.000001", "1.5", "61.00001"]);
    }

    #[test]
    fn a_clock_that_was_set_back_gives_no_negative_interval() {
        let mut out = Vec::new();
        let size = TermSize::clamped(80, 24);
        let mut cast = CastWriter::begin(&mut out, &Subject::default(), size, 5_000_000, None).unwrap();
        for time_us in [6_000_000, 2_000_000, 6_500_000] {
            cast.event(time_us, "o", "\u{1b}[m\"").unwrap();
        }
        let lines: Vec<&str> = str::from_utf8(&out).unwrap().lines().collect();
        assert_eq!(
            lines,
            [
                r#"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":5}"#,
                r#"[1.0, "o", "\u001b[m\""]"#,
                r#"[0.0, "o", "\u001b[m\""]"#,
                r#"[0.5, "o", "\u001b[m\""]"#,
            ]
        );
    }
}
