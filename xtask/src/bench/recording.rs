//! `cargo xtask bench recording`: what recordings cost, and how fast they are found again.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use super::output;
use super::table::Table;
use crate::house::House;
use crate::tools;

/// The number of rounds. The fastest counts, because other load on the machine only makes a round slower.
const ROUNDS: usize = 3;

/// What is searched for: how it is called, and the pattern.
const SEARCHES: [(&str, &str); 4] = [
    ("a word that is nowhere", "flibbertigibbet"),
    ("an id that is there once", "id=0000"),
    ("a regular expression", r"timeout \w+ cache: \d+99$"),
    ("words in any case", "(?i)WARNING unused variable"),
];

/// Megabytes of output that are recorded.
pub(super) const FULL: u64 = 1_000;
pub(super) const QUICK: u64 = 64;

/// Measures and prints the tables.
pub(super) fn main(house: &House, megabytes: u64) -> Result<ExitCode> {
    tools::ensure("zstdgrep", "zstd").map_err(|why| anyhow!(why))?;
    tools::ensure("rg", "ripgrep").map_err(|why| anyhow!(why))?;
    let programs = [("playback", "recording_bench")];
    for (package, example) in programs {
        build(house, &["--package", package, "--example", example])?;
    }
    build(house, &["--package", "cli"])?;
    let release = house.target.join("release");
    let place = house.target.join("bench-recording");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place)?;
    let text = place.join("output");

    eprintln!("recording and sealing {megabytes} MB");
    let mut make = house.program(release.join("examples/recording_bench").as_os_str());
    make.arg(place.join("home")).arg(megabytes.to_string()).arg(&text);
    print!("{}", costs(&output(&mut make)?)?);
    println!("\n{}", searches(house, &release.join("abide"), &place, &text)?);
    std::fs::remove_dir_all(&place)?;
    Ok(ExitCode::SUCCESS)
}

fn build(house: &House, what: &[&str]) -> Result<()> {
    let built =
        house.cargo(&[&["build", "--release"], what].concat()).status().context("cannot run cargo")?;
    ensure!(built.success(), "the benchmark does not build; the compiler's words are above");
    Ok(())
}

fn costs(measured: &str) -> Result<Table> {
    let mut table = Table::new("", &["goal", "measured"]);
    let rows = [
        ("record_cpu_s_per_gb", "recording, CPU s/GB", "≤ 1"),
        ("mask_cpu_s_per_gb", "masking, CPU s/GB", "≤ 3"),
        ("seal_cpu_s_per_gb", "sealing, masking and text included, CPU s/GB", "–"),
        ("times_smaller", "sealed, times smaller", "–"),
        ("jump_typical_ms", "a jump to any time, median ms", "≤ 50"),
        ("jump_p95_ms", "a jump to any time, p95 ms", "–"),
    ];
    for (key, name, goal) in rows {
        let value = measured.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        let value = value.with_context(|| format!("`{key}` was not measured"))?;
        table.add(name, vec![goal.to_owned(), value.to_owned()]);
    }
    Ok(table)
}

/// Megabytes of output that are searched each second, beside others on the same output, compressed as well as ours.
fn searches(house: &House, abide: &Path, place: &Path, text: &Path) -> Result<Table> {
    let bytes = std::fs::metadata(text)?.len();
    let compressed: PathBuf = text.with_extension("zst");
    output(house.program("zstd").args(["-q", "-3", "--rm", "-o"]).arg(&compressed).arg(text))?;
    let mut table = Table::new("search, MB/s of output", &["abide", "rg -z", "zstdgrep", "abide × rg -z"]);
    for (name, pattern) in SEARCHES {
        let mut ours = house.program(abide.as_os_str());
        ours.args(["search", "--max", "1000000", "-C", "0", pattern]).env("ABIDE_HOME", place.join("home"));
        let mut rg = house.program("rg");
        rg.args(["-z", "-N", pattern]).arg(&compressed);
        let mut zstdgrep = house.program("zstdgrep");
        zstdgrep.args(["-P", pattern]).arg(&compressed);
        let speeds = [&mut ours, &mut rg, &mut zstdgrep].map(|command| speed(command, bytes));
        let [ours, rg, zstdgrep] = speeds;
        let (ours, rg, zstdgrep) = (ours?, rg?, zstdgrep?);
        let cells = [ours, rg, zstdgrep].map(|speed| format!("{speed:.0}"));
        table.add(name, [cells.to_vec(), vec![format!("{:.1}", ours / rg)]].concat());
    }
    Ok(table)
}

/// The best of a few rounds.
fn speed(command: &mut Command, bytes: u64) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let status = status.with_context(|| format!("cannot run {command:?}"))?;
        ensure!(matches!(status.code(), Some(0 | 1)), "{command:?} failed: {status}");
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(bytes as f64 / 1e6 / best)
}
