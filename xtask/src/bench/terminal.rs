//! `cargo xtask bench terminal`: our terminal beside others.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use super::table::Table;
use super::{instructions, output};
use crate::house::House;

/// The terminals, by the names that the example program has for them. `vte` is only a parser, a floor.
const ENGINES: [&str; 4] = ["abide", "vte", "alacritty_terminal", "vt100"];

/// The streams, by the names that the example program has for them.
const STREAMS: [&str; 6] = ["ascii", "sgr", "unicode", "tui", "dense", "agent"];

/// Lines of history whose memory is measured.
const HISTORIES: [&str; 2] = ["10000", "100000"];

/// Rounds that a speed is the median of.
const ROUNDS: &str = "15";

/// Measures and prints the tables. With names of terminals, only counts their instructions.
pub(super) fn main(house: &House, engines: &[&str]) -> Result<ExitCode> {
    if let Some(unknown) = engines.iter().find(|name| !ENGINES.contains(name)) {
        bail!("`{unknown}` is none of {}", ENGINES.join(", "));
    }
    let program = instructions::build(house)?;

    let all = engines.is_empty();
    let engines = if all { &ENGINES } else { engines };
    print!("{}", counts(house, &program, engines)?);
    if all {
        println!("\n{}", speeds(house, &program)?);
        print!("{}", memory(house, &program)?);
    }
    Ok(ExitCode::SUCCESS)
}

fn counts(house: &House, program: &Path, engines: &[&str]) -> Result<Table> {
    let mut table = Table::new("instructions/byte", &STREAMS);
    for engine in engines {
        let mut row = Vec::new();
        for stream in STREAMS {
            row.push(instructions::for_each_byte(house, program, engine, stream)?);
        }
        table.add(engine, row);
    }
    Ok(table)
}

fn speeds(house: &House, program: &Path) -> Result<Table> {
    eprintln!("measuring speed");
    let measured = measurements(&output(house.program(program).args(["speed", ROUNDS]))?)?;
    let mut table = Table::new("MB/s", &STREAMS);
    for engine in ENGINES {
        let row = STREAMS.map(|stream| cell(&measured, engine, stream, |speed| format!("{speed:.0}")));
        table.add(engine, row.into());
    }
    Ok(table)
}

fn memory(house: &House, program: &Path) -> Result<Table> {
    eprintln!("measuring memory");
    let measured = measurements(&output(house.program(program).arg("heap"))?)?;
    let mut table = Table::new("heap, MB", &HISTORIES.map(|lines| format!("{lines} lines")));
    for engine in ENGINES {
        let row =
            HISTORIES.map(|lines| cell(&measured, engine, lines, |bytes| format!("{:.1}", bytes / 1e6)));
        table.add(engine, row.into());
    }
    Ok(table)
}

/// The measured numbers, by engine and by stream or length of history.
type Measurements = HashMap<(String, String), f64>;

fn cell(measured: &Measurements, engine: &str, what: &str, show: impl FnOnce(f64) -> String) -> String {
    measured.get(&(engine.to_owned(), what.to_owned())).map_or("–".to_owned(), |number| show(*number))
}

/// Reads lines of engine, subject and number.
fn measurements(text: &str) -> Result<Measurements> {
    text.lines()
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [engine, what, number] => Ok(((engine.to_owned(), what.to_owned()), number.parse()?)),
            _ => bail!("the benchmark printed `{line}`"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_dash_where_nothing_was_measured() {
        let measured = measurements("abide 10000 2100000\nvt100 10000 38600000\n").unwrap();
        let mut table = Table::new("heap, MB", &["10000"]);
        for engine in ["abide", "vte"] {
            table.add(engine, vec![cell(&measured, engine, "10000", |bytes| format!("{:.1}", bytes / 1e6))]);
        }
        assert_eq!(table.to_string(), "| heap, MB | 10000 |\n| --- | --- |\n| abide | 2.1 |\n| vte | – |\n");
        assert!(measurements("two words").is_err());
    }
}
