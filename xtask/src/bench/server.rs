//! `cargo xtask bench server`: what the server's relay adds to a key's echo and to a flood.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::output;
use super::table::Table;
use crate::house::House;

/// Measures and prints the table.
pub(super) fn main(house: &House, arguments: &[&str]) -> Result<ExitCode> {
    let parts: [&[&str]; 2] = [&["--package", "server", "--example", "relay_bench"], &["--package", "cli"]];
    for part in parts {
        let built =
            house.cargo(&[&["build", "--release"], part].concat()).status().context("cannot run cargo")?;
        ensure!(built.success(), "the benchmark does not build; the compiler's words are above");
    }
    let release = house.target.join("release");
    let mut bench = house.program(release.join("examples/relay_bench").as_os_str());
    print!("{}", table(&output(bench.arg(release.join("abide")).args(arguments))?)?);
    Ok(ExitCode::SUCCESS)
}

fn table(measured: &str) -> Result<Table> {
    let value = |key: &str| -> Result<f64> {
        let text = measured.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        Ok(text.with_context(|| format!("`{key}` was not measured"))?.parse()?)
    };
    let mut table = Table::new("", &["raw PTY", "host's socket", "WebSocket", "goal G7"]);
    for (key, name) in [("p50", "echo p50 µs (× raw)"), ("p99", "echo p99 µs (× raw)")] {
        let raw = value(&format!("echo_raw_{key}_us"))?;
        let beside = |way: &str| -> Result<String> {
            let time = value(&format!("echo_{way}_{key}_us"))?;
            Ok(format!("{time:.0} ({:.2})", time / raw))
        };
        let goal = if key == "p50" { "≤ 2.5 / ≤ 3.2 × raw" } else { "–" };
        table.add(name, vec![format!("{raw:.0}"), beside("direct")?, beside("websocket")?, goal.to_owned()]);
    }
    let mut flood = |name: &str, key: &str| -> Result<()> {
        let direct = value(&format!("flood_direct_{key}"))?;
        let web = value(&format!("flood_websocket_{key}"))?;
        table.add(name, vec!["–".into(), format!("{direct:.2}"), format!("{web:.2}"), "–".into()]);
        Ok(())
    };
    flood("flood for ten viewers, MB/s", "mb_per_s")?;
    flood("share of it that each was sent as bytes", "seen_share")?;
    let cpu = value("flood_server_cpu_s_per_gb_sent")?;
    let rss = value("flood_server_rss_mb")?;
    table.add("server, CPU s for a GB sent", vec!["–".into(), "–".into(), format!("{cpu:.2}"), "–".into()]);
    table.add("server, memory after it, MB", vec!["–".into(), "–".into(), format!("{rss:.0}"), "–".into()]);
    Ok(table)
}
