//! `abide logs --follow`

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::house::{House, Worker, wait_for};

/// Twelve lines as a private key has them, and none like another.
fn key_lines() -> Vec<String> {
    (0..12).map(|line| format!("MIIEvQ{line:02}dwDHkQ7nBz4xWvYcR9sTfLgJ3aKpE5uXoZ1iMqNbVhCy8")).collect()
}

/// A script that prints a private key and waits after some of its lines.
fn key_script(waits_after: usize) -> String {
    let lines = key_lines();
    let (first, rest) = lines.split_at(waits_after);
    let (first, rest) = (first.join("\\n"), rest.join("\\n"));
    format!(
        "stty -echo; printf 'ready\\n-----BEGIN PRIVATE KEY-----\\n{first}\\n'; read x; \
         printf '{rest}\\n-----END PRIVATE KEY-----\\nafter\\n'; read x"
    )
}

/// `abide logs` that goes on until its worker ends.
struct Following {
    child: Child,
    seen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Following {
    fn start(house: &House, options: &[&str]) -> Following {
        let arguments = [&["logs", "live", "--follow"], options].concat();
        let mut child = house.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&seen);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                shared.lock().unwrap().extend(&buffer[..read]);
            }
        });
        Following { child, seen, reader }
    }

    /// The shown text up to now, with bare line feeds.
    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap()).replace("\r\n", "\n")
    }

    fn wait_for(&self, text: &str) {
        wait_for(&format!("`{text}` from logs"), || self.seen().contains(text).then_some(()));
    }

    /// Everything that was shown, after the worker has ended.
    fn shown_in_all(mut self) -> String {
        assert!(self.child.wait().unwrap().success());
        self.reader.join().unwrap();
        String::from_utf8_lossy(&self.seen.lock().unwrap()).replace("\r\n", "\n")
    }
}

/// A worker whose recording has this at its end.
fn recorded_up_to(house: &House, script: &str, end: &str) -> Worker {
    let worker = house.worker_with(&["--name", "live"], &["sh", "-c", script]);
    wait_for("the recording", || worker.recorded().ends_with(end.as_bytes()).then_some(()));
    worker
}

fn wait_for_viewer(worker: &Worker) {
    wait_for("the viewer", || (!worker.status().viewers.is_empty()).then_some(()));
}

#[test]
fn s38_a_private_key_is_masked_from_its_first_line_to_its_last() {
    let house = House::new();
    for options in [&[][..], &["--raw"]] {
        // All of it comes live, or the follower comes when some lines are recorded.
        for waits_after in [1, 7] {
            let lines = key_lines();
            let end = format!("{}\r\n", lines[waits_after - 1]);
            let worker = recorded_up_to(&house, &key_script(waits_after), &end);
            let following = Following::start(&house, options);
            following.wait_for("ready\n");
            worker.send(b"\r");
            following.wait_for("after\n");
            worker.send(b"\r");
            let shown = following.shown_in_all();
            assert!(!lines.iter().any(|line| shown.contains(&line[8..24])), "{options:?}: {shown}");
            assert_eq!(shown.matches("***REDACTED***").count(), lines.len(), "{options:?}: {shown}");
            assert!(shown.ends_with("-----END PRIVATE KEY-----\nafter\n"), "{options:?}: {shown}");
            house.output(["rm", "--force", "live"]);
        }
    }
}

/// What is shown of a script that is followed once so much of it is recorded, and goes on twice when it is told to.
fn shown_in_two_steps(house: &House, script: &str, recorded: &str, options: &[&str]) -> String {
    let worker = recorded_up_to(house, script, recorded);
    let following = Following::start(house, options);
    following.wait_for("ready\n");
    wait_for_viewer(&worker);
    worker.send(b"\r");
    following.wait_for(" ok\n");
    worker.send(b"\r");
    let shown = following.shown_in_all();
    house.output(["rm", "--force", "live"]);
    shown
}

#[test]
fn s38_the_recording_tells_which_secrets_to_mask_in_live_output() {
    let house = House::new();
    let token = format!("xoxb-123456789012-{}", "a1B2c3D4e5F6g7H8i9J0k1L2");
    // The first part of a secret may be enough to have it masked in the recording.
    let (head, tail) = token.split_at(token.len() - 6);
    for (first, rest) in [
        ("password=", "hunter2hunter2"),
        ("password=hunter2", "hunter2"),
        ("https://app:hunter2", "hunter2@example.org/"),
        (head, tail),
    ] {
        for options in [&[][..], &["--raw"]] {
            let script = format!(
                "stty -echo; printf 'ready\\n{first}'; read x; printf '{rest} ok\\n'; read x; echo end"
            );
            let shown = shown_in_two_steps(&house, &script, first, options);
            assert!(!shown.contains(&rest[..6]), "{first}, {options:?}: {shown}");
            assert!(shown.ends_with(" ok\nend\n"), "{first}, {options:?}: {shown}");
        }
    }
}

#[test]
fn s38_a_secret_that_is_printed_in_two_halves_with_a_pause_is_masked() {
    let house = House::new();
    let token = format!("ghp_{}", "aB3dE5fG7hJ9".repeat(3));
    for (secret, before) in [(token.as_str(), ""), ("hunter2hunter2", "password=")] {
        let (first, rest) = secret.split_at(6);
        for options in [&[][..], &["--raw"]] {
            let script = format!(
                "stty -echo; echo ready; read x; printf '{before}{first}'; sleep 0.6; printf '{rest} ok\\n'; read x"
            );
            let shown = shown_in_two_steps(&house, &script, "ready\r\n", options);
            let mask = format!("{:*<1$}", "***REDACTED***", secret.len());
            assert_eq!(shown, format!("ready\n{before}{mask} ok\n"), "{options:?}");
        }
    }
}

#[test]
fn a_question_for_a_password_is_shown_before_its_answer() {
    let house = House::new();
    let script = "stty -echo; echo ready; read x; printf 'your password: '; read x";
    let worker = recorded_up_to(&house, script, "ready\r\n");
    let following = Following::start(&house, &["--raw"]);
    wait_for_viewer(&worker);
    worker.send(b"\r");
    following.wait_for("your password: ");
    worker.send(b"\r");
    assert_eq!(following.shown_in_all(), "ready\nyour password: ");
}

#[test]
fn following_shows_new_output_after_the_given_moment_at_once() {
    let house = House::new();
    for options in [&[][..], &["--raw"]] {
        let script = "stty -echo; echo early; read x; echo late; read x; echo end";
        let worker = recorded_up_to(&house, script, "early\r\n");
        let since = jiff::Timestamp::now().to_string();
        let following = Following::start(&house, &[options, &["--since", &since]].concat());
        wait_for_viewer(&worker);
        worker.send(b"\r");
        following.wait_for("late\n");
        worker.send(b"\r");
        assert_eq!(following.shown_in_all(), "late\nend\n", "{options:?}");
        house.output(["rm", "--force", "live"]);
    }
}

#[test]
fn following_from_a_future_moment_shows_no_earlier_output() {
    let house = House::new();
    for options in [&[][..], &["--raw"]] {
        let script = "stty -echo; echo early; read x; echo late";
        let worker = recorded_up_to(&house, script, "early\r\n");
        let following = Following::start(&house, &[options, &["--since", "+1h"]].concat());
        wait_for_viewer(&worker);
        worker.send(b"\r");
        assert_eq!(following.shown_in_all(), "", "{options:?}");
        house.output(["rm", "--force", "live"]);
    }
}

#[test]
fn an_unfinished_word_is_shown_in_the_end() {
    let house = House::new();
    let worker =
        recorded_up_to(&house, "stty -echo; echo ready; read x; printf unfinished; read x", "ready\r\n");
    let following = Following::start(&house, &["--raw"]);
    wait_for_viewer(&worker);
    worker.send(b"\r");
    following.wait_for("unfinished");
    worker.send(b"\r");
    assert_eq!(following.shown_in_all(), "ready\nunfinished");
}

#[test]
fn following_shows_every_byte_once_and_in_order() {
    let house = House::new();
    // Words in pieces and with pauses, colours, and more than a host has in memory.
    let script = r#"
import os, sys, time
w = lambda text: os.write(1, text.encode())
for part in range(40):
    w(f'part {part} of ')
    if part % 4 == 0: time.sleep(0.05)
    if part % 13 == 0: time.sleep(0.3)
    w(f'wor'); w(f'ds \x1b[3{part % 8}mcolour'); w('ed\x1b[m\r\n')
    if part % 10 == 5: w(''.join(f'{n} filler {n}\r\n' for n in range(60000)))
    if part == 20: w('ready\r\n'); sys.stdin.readline()
w('end')
"#;
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("parts.py");
    std::fs::write(&path, script).unwrap();
    let worker = house.worker_with(
        &["--name", "live"],
        &["sh", "-c", &format!("stty raw -echo; exec python3 {}", path.display())],
    );
    let following = Following::start(&house, &["--raw"]);
    following.wait_for("ready\n");
    house.output(["upgrade", "--force", "live"]);
    worker.send(b"\n");
    let shown = following.shown_in_all();
    let printed = String::from_utf8(worker.recorded()).unwrap().replace("\r\n", "\n");
    assert!(printed.ends_with("end"), "{}", &printed[printed.len() - 100..]);
    let differs = shown.bytes().zip(printed.bytes()).position(|(shown, printed)| shown != printed);
    assert_eq!((differs, shown.len()), (None, printed.len()));
}

#[test]
fn a_worker_is_followed_into_the_hosts_that_adopt_it() {
    let house = House::with_keeper();
    let script =
        "stty -echo; n=0; while read x; do while [ $n -lt $x ]; do n=$((n + 1)); echo $n; done; done";
    let worker = house.worker_with(&["--name", "live"], &["sh", "-c", script]);
    let following = Following::start(&house, &["--raw"]);
    for kill in 1..=3 {
        worker.wait_for_lease();
        worker.send(format!("{}\r", kill * 2000).as_bytes());
        worker.kill_host();
        wait_for("another host", || {
            viewer::status(&worker.dir.socket()).ok().filter(|status| status.epoch.0 > kill)
        });
    }
    worker.wait_for_lease();
    worker.send(b"7000\r");
    following.wait_for("7000\n");
    worker.send(b"\x04");
    let shown = following.shown_in_all();
    // A number that was being printed when a host was killed may be in two, with something missing between.
    let numbers: Vec<u32> = shown.lines().filter_map(|line| line.parse().ok()).collect();
    let falls = numbers.windows(2).filter(|pair| pair[0] >= pair[1]).count();
    assert!(falls <= 3, "{falls} times a number is not larger than the one before");
    assert!(numbers.ends_with(&(6500..=7000).collect::<Vec<u32>>()), "{shown}");
    let recorded = String::from_utf8(worker.recorded()).unwrap().replace("\r\n", "\n");
    let missing: Vec<&str> = recorded.lines().filter(|line| !shown.contains(line)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "what is recorded is shown");
}
