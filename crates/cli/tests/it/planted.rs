//! Secrets that workers of tests have and print. Whatever a test does, none of them may be found at rest when its house
//! goes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use home::Identity;
use recording::{BlockKind, SegmentReader, Texts};

use crate::house::{House, wait_for, wait_until};

/// A secret by its variable, which is in the environment of every worker.
pub(crate) const PLANTED: &str = "9fQ2vTz7-planted-Lk83mNw";

/// Halves of secrets by rules. They are in no variable as a whole, so that only the rules can know them, nor in this
/// file, so that nobody takes it for a leak.
const KEY: [&str; 2] = ["kT4wPz8qRb2nXc", "6vMj9sHf3yLd7gQa5e"];
const PASSWORD: [&str; 2] = ["blue-horse-", "planted-7"];

/// All of them.
pub(crate) fn secrets() -> [String; 3] {
    [PLANTED.to_owned(), format!("ghp_{}", KEY.concat()), PASSWORD.concat()]
}

/// The variables that workers have them from.
pub(crate) fn variables() -> [(&'static str, &'static str); 5] {
    [
        ("PLANTED_TOKEN", PLANTED),
        ("HALF_A", KEY[0]),
        ("HALF_B", KEY[1]),
        ("HALF_C", PASSWORD[0]),
        ("HALF_D", PASSWORD[1]),
    ]
}

/// A script that prints them first: plain, in colours, and in two writes. It wipes them away, so that tests see
/// an empty line and the screen they expect.
pub(crate) fn printing(script: &str) -> String {
    let wiped = r"\r\033[2K";
    format!(
        "printf 'it is %s{wiped}' \"$PLANTED_TOKEN\"; \
         printf 'ghp_%s\\033[31m%s\\033[m{wiped}' \"$HALF_A\" \"$HALF_B\"; \
         printf 'password=%s' \"$HALF_C\"; printf '%s{wiped}\\n' \"$HALF_D\"; {script}"
    )
}

/// Fails if one of them is at rest in a house of which all hosts have been killed. What they left behind is sealed first, if
/// it has one in it: nobody else would do so for an hour.
pub(crate) fn check(house: &House) {
    if !leftovers(house).is_empty() {
        wait_for("the end of all hosts", || {
            let dirs = house.home().worker_dirs().unwrap_or_default();
            let gone = |identity: Identity| !identity.is_alive();
            dirs.iter().all(|dir| dir.identity().is_none_or(gone)).then_some(())
        });
        // A thread of a killed host may hold the worker's lock for a moment longer, and a sealer that it started may still
        // be at work: then `gc` leaves that recording alone.
        wait_until("no raw recordings of ended workers", || {
            make_old(&leftovers(house));
            let said = house.run(["gc"]);
            let said = [said.stdout, said.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            let left = leftovers(house);
            if left.is_empty() { Ok(()) } else { Err((left, said)) }
        });
    }
    for secret in secrets() {
        assert_eq!(at_rest_with(house.path(), &secret), Vec::<PathBuf>::new(), "{secret} is at rest");
    }
}

/// Makes the recordings of these segments as old as those that `abide gc` seals.
fn make_old(segments: &[PathBuf]) {
    let long_ago = SystemTime::now() - Duration::from_secs(7_200);
    for recording in segments.iter().filter_map(|file| file.parent()) {
        for file in fs::read_dir(recording).into_iter().flatten().flatten() {
            // A sealer that was on its way may have taken it.
            let file = fs::File::options().write(true).open(file.path());
            let _ = file.and_then(|file| file.set_modified(long_ago));
        }
    }
}

/// The raw segments that hold one of the secrets.
fn leftovers(house: &House) -> Vec<PathBuf> {
    let is_raw = |path: &PathBuf| path.extension() == Some(OsStr::new("active"));
    files(house.path())
        .into_iter()
        .filter(is_raw)
        .filter(|path| {
            let bytes = fs::read(path).unwrap_or_default();
            secrets().iter().any(|secret| holds(&bytes, secret))
        })
        .collect()
}

/// The files below a directory in which a text is at rest, compressed or not, in colours or not. The active segments of
/// workers that have not ended are not at rest.
pub(crate) fn at_rest_with(root: &Path, text: &str) -> Vec<PathBuf> {
    let is_with = |path: &PathBuf| {
        let in_blocks = || {
            SegmentReader::open(path).is_ok_and(|blocks| {
                blocks.into_iter().any(|block| match block.kind {
                    BlockKind::Snapshot(bytes) | BlockKind::Output(bytes) => holds(&bytes, text),
                    _ => false,
                })
            })
        };
        let in_texts = || {
            Texts::open(path).is_ok_and(|texts| {
                texts.into_iter().flatten().any(|lines| holds(&lines.lines().expect("text"), text))
            })
        };
        let extension = path.extension().and_then(OsStr::to_str);
        let is_at_rest = extension != Some("active") || has_ended(path);
        let is_sealed = extension == Some("sealed");
        let in_file = || holds(&fs::read(path).unwrap_or_default(), text);
        is_at_rest && (in_file() || is_sealed && (in_blocks() || in_texts()))
    };
    files(root).into_iter().filter(is_with).collect()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => dirs.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

/// Whether a text is in there, as it is or with colours between its characters.
fn holds(bytes: &[u8], text: &str) -> bool {
    let (start, text) = (&text.as_bytes()[..4], text.as_bytes());
    memchr::memmem::find_iter(bytes, start).any(|at| {
        let mut rest = &bytes[at..];
        text.iter().all(|wanted| {
            while let [0x1b, b'[', sequence @ ..] = rest {
                let end = sequence.iter().position(|byte| (0x40..0x7f).contains(byte));
                rest = &sequence[end.map_or(sequence.len(), |end| end + 1)..];
            }
            let is_next = rest.first() == Some(wanted);
            rest = rest.get(1..).unwrap_or_default();
            is_next
        })
    })
}

/// Whether the worker to whose recording a segment belongs has ended.
fn has_ended(segment: &Path) -> bool {
    segment.parent().and_then(Path::parent).is_some_and(|worker| worker.join("exit.json").exists())
}

#[test]
fn s38_a_secret_that_is_left_at_rest_is_noticed_when_the_house_goes() {
    for script in ["true", "exec sleep 1000"] {
        let house = House::new().setting("ABIDE_MASK", "never");
        let worker = house.leaky(script);
        wait_for("the recording", || worker.recorded().ends_with(b"\x1b[2K\r\n").then_some(()));
        let gone = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(house)));
        let said = gone.expect_err("it is noticed");
        let said = said.downcast_ref::<String>().expect("words");
        assert!(said.contains("is at rest"), "{said}");
    }
}
