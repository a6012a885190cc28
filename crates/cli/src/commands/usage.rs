//! `abide usage`: what the agents used.

use api::{UsageBy, UsageReport, UsageRow, UsageSum};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::table::{self, Cell, Tint};
use crate::{output, the_server};

/// Show what the agents used: tokens, and the price where they state it
///
/// It is read from the files in which the agents keep their conversations, and counts the conversation that each worker
/// has now. Nothing is sent anywhere. Needs the server: start it with `abide serve`.
#[derive(Args)]
pub(super) struct Usage {
    /// By what to sum it up
    #[arg(long, value_enum, default_value_t = By::Worker)]
    by: By,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Worker,
    Task,
    Agent,
    Day,
}

impl From<By> for UsageBy {
    fn from(by: By) -> UsageBy {
        match by {
            By::Worker => UsageBy::Worker,
            By::Task => UsageBy::Task,
            By::Agent => UsageBy::Agent,
            By::Day => UsageBy::Day,
        }
    }
}

impl Usage {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let report = the_server::find()?.usage(self.by.into())?;
        if self.json {
            output::write_json(&report)?;
            return Ok(0);
        }
        if report.rows.is_empty() {
            eprintln!("no agent has told what it used");
        } else {
            output::write(table(&report))?;
        }
        for unknown in &report.unknown {
            eprintln!("({}: {})", unknown.name, unknown.why);
        }
        Ok(0)
    }
}

fn table(report: &UsageReport) -> String {
    let first = match report.by {
        UsageBy::Worker => "WORKER",
        UsageBy::Task => "TASK",
        UsageBy::Agent => "AGENT",
        UsageBy::Day => "DAY",
    };
    let heading = [first, "TURNS", "INPUT", "CACHED", "OUTPUT", "COST", "LEFT", "MODELS"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(report.rows.iter().map(row));
    if report.rows.len() > 1 {
        rows.push(cells("total", &report.total, "", Tint::Bold));
    }
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(row: &UsageRow) -> [Cell; 8] {
    cells(&row.name, &row.sum, &left(row), Tint::Plain)
}

fn cells(name: &str, sum: &UsageSum, left: &str, tint: Tint) -> [Cell; 8] {
    let tokens = sum.tokens;
    let models: Vec<&str> = sum.models.iter().map(model::ShownText::as_str).collect();
    [
        Cell::new(name, tint),
        Cell::new(sum.turns.to_string(), tint),
        Cell::new(short(tokens.input + tokens.cache_write), tint),
        Cell::new(short(tokens.cache_read), tint),
        Cell::new(short(tokens.output), tint),
        Cell::new(cost(sum), tint),
        Cell::new(left, tint),
        Cell::new(models.join(", "), tint),
    ]
}

/// What the agent says that it cost. A `+` says that there are requests of which it does not say that.
fn cost(sum: &UsageSum) -> String {
    let more = if sum.unpriced > 0 { "+" } else { "" };
    sum.cost_usd.map_or_else(|| "-".to_owned(), |cost| format!("${cost:.2}{more}"))
}

/// What is left of the context, and of the limit that is used up most.
fn left(row: &UsageRow) -> String {
    let context = row.context.and_then(|context| Some(context.left? * 100 / context.window?.max(1)));
    let most = row.limits.iter().max_by(|one, other| one.used_percent.total_cmp(&other.used_percent));
    let limit = most.map(|limit| format!("limit {:.0}%", (100.0 - limit.used_percent).max(0.0)));
    let said: Vec<String> = context.map(|left| format!("{left}%")).into_iter().chain(limit).collect();
    said.join(", ")
}

/// A count in few characters.
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_a_line_with_what_it_used_and_what_is_left() {
        let tokens = r#""input":12345,"output":999,"thinking":0,"cacheRead":2500000,"cacheWrite":0"#;
        let sum = format!(r#""turns":3,"requests":4,{tokens},"costUsd":1.5,"unpriced":1,"models":["opus"]"#);
        let row = format!(
            r#"{{"key":"w","name":"claude","context":{{"used":50,"window":200,"left":150}},"lastAt":null,
            "limits":[{{"name":"a","usedPercent":12.5,"windowMinutes":300,"resetsAt":null}}],{sum}}}"#
        );
        let report = format!(r#"{{"by":"worker","rows":[{row}],"total":{{{sum}}},"unknown":[]}}"#);
        let report: UsageReport = serde_json::from_str(&report).unwrap();
        let text = table(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "WORKER  TURNS  INPUT  CACHED  OUTPUT  COST    LEFT            MODELS");
        assert_eq!(lines[1], "claude  3      12k    2.5M    999     $1.50+  75%, limit 88%  opus");
        assert_eq!(lines.len(), 2);
    }
}
