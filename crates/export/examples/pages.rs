//! Turns an asciicast file into all that we export: `cargo run -p export --example pages FILE DIRECTORY`.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;
use std::time::Instant;

use export::import::{Limits, import};
use export::{Motion, Picture, Subject, asciicast, html, player, svg, text, write_recording};
use model::{WorkerId, display_safe};
use recording::Recording;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let (Some(file), Some(dir)) = (arguments.next(), arguments.next()) else {
        return Err("give an asciicast file and a directory".into());
    };
    fs::create_dir_all(&dir)?;
    let events = import(BufReader::new(File::open(&file)?), Limits::default())?;
    let header = events.header().clone();
    let title = header.title.unwrap_or_else(|| file.display().to_string());
    let subject = Subject {
        title: display_safe(&title),
        worker: "imported".into(),
        command: header.command.as_deref().map(display_safe),
        ..Subject::default()
    };
    let kept = tempfile::tempdir()?;
    let begin_us = events.header().begin_us().unwrap_or(0);
    let imported =
        write_recording(events, kept.path(), WorkerId::from_random([0; 8]), header.size, begin_us)?;
    println!("{imported:?}");
    let recording = Recording::open(kept.path())?;

    let create = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
    let begin = Instant::now();
    asciicast(&recording, &subject, None, create("recording.cast")?)?;
    text(&recording, &subject, false, create("recording.txt")?)?;
    html(&recording, &subject, create("page.html")?)?;
    player(&recording, &subject, create("player.html")?)?;
    svg(&recording, &subject, &Picture::default(), create("picture.svg")?)?;
    let still = Picture { motion: Motion::Still, ..Picture::default() };
    svg(&recording, &subject, &still, create("still.svg")?)?;
    println!("written in {:?}", begin.elapsed());
    for name in ["recording.cast", "recording.txt", "page.html", "player.html", "picture.svg", "still.svg"] {
        println!("{name}: {} bytes", fs::metadata(dir.join(name))?.len());
    }
    Ok(())
}
