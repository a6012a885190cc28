//! Puts the web UI into the program: what `web/dist/site` holds, or a page that says how to build that.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let (dist, stub) = (here.join("../../web/dist"), here.join("stub"));
    wait_for_web()?;
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed={}", stub.display());
    let site = dist.join("site");
    let is_built = site.join("index.html").exists();
    let root = if is_built { site } else { stub };

    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    files.sort();
    let mut table =
        format!("pub(crate) const IS_BUILT: bool = {is_built};\npub(crate) const FILES: &[File] = &[\n");
    for (number, (name, path)) in files.iter().enumerate() {
        let bytes = fs::read(path)?;
        let packed = packed(&bytes)?;
        // What does not get smaller is kept as it is: pictures.
        let is_gzipped = packed.len() < bytes.len();
        let kept = out.join(number.to_string());
        fs::write(&kept, if is_gzipped { &packed } else { &bytes })?;
        let etag = Sha256::digest(&bytes).iter().take(12).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        writeln!(
            table,
            "File {{ name: {name:?}, etag: {:?}, is_gzipped: {is_gzipped}, bytes: include_bytes!({kept:?}) }},",
            format!("W/\"{etag}\"")
        )
        .expect("a string takes everything");
    }
    table.push_str("];\n");
    fs::write(out.join("files.rs"), table)
}

/// Waits while the web UI is being built beside us: the builder holds a lock on the file that this variable names.
fn wait_for_web() -> io::Result<()> {
    match env::var_os("ABIDE_WEB_LOCK") {
        Some(lock) => fs::File::open(lock)?.lock_shared(),
        None => Ok(()),
    }
}

/// All files below a directory, each with its name from there on.
fn collect(root: &Path, directory: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            files.push((name.to_owned(), path));
        }
    }
    Ok(())
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
