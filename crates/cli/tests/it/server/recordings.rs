//! Recordings over HTTP: ranges, lines, screens, marks, exports and a search, all masked.

use std::fs;

use api::{ErrorCode, RecordedLines, RecordedScreen, RecordingInfo, RecordingMarks, SearchReply};
use model::WorkerId;
use serde_json::{Value, json};

use super::{Server, raw};
use crate::house::{House, wait_for};
use crate::planted::{PLANTED, at_rest_with};

/// A worker that has printed what this script prints.
fn printed(house: &House, server: &Server, script: &str) -> WorkerId {
    let script = format!("{script}; printf 'that is all'; read x");
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), &script);
    // The last instant of what grows is held back.
    let output = format!("{}/output", path(worker.id));
    wait_for("its output", || raw::get(server, &output).body.ends_with(b"that is all").then_some(()));
    worker.id
}

fn end(house: &House, worker: WorkerId) {
    let worker = house.called(worker.as_str());
    worker.send(b"\r");
    worker.wait_for_rest();
}

fn path(worker: WorkerId) -> String {
    format!("/api/workers/{worker}/recording")
}

const LINES: &str = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done";

#[test]
fn ranges_of_output_are_read_by_offset_and_by_time() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = printed(&house, &server, LINES);
    let all: String = (1..=9).map(|i| format!("line {i}\r\n")).collect::<String>() + "that is all";
    let output = |query: &str| raw::get(&server, &format!("{}/output{query}", path(worker)));
    let whole = output("");
    assert_eq!((whole.status, whole.text()), (200, all.clone()));
    assert_eq!(whole.header("content-type"), "application/octet-stream");
    let bounds = |answer: &raw::Bytes| {
        (answer.number("abide-from"), answer.number("abide-to"), answer.header("abide-more").to_owned())
    };
    assert_eq!(bounds(&whole), (0, all.len() as u64, "false".into()));
    let some = output("?from=8&to=16");
    assert_eq!((some.text().as_str(), bounds(&some)), ("line 2\r\n", (8, 16, "false".into())));
    assert_eq!(output("?from=100000").text(), "");
    assert_eq!(output("?from=16&to=8").text(), "");
    let (mut from, mut gathered) = (0, String::new());
    loop {
        let piece = output(&format!("?from={from}&limit=7"));
        assert!(piece.body.len() <= 7 && piece.number("abide-from") == from);
        gathered += &piece.text();
        from = piece.number("abide-to");
        if piece.header("abide-more") == "false" {
            break;
        }
    }
    assert_eq!(gathered, all, "page by page it is all there, once");

    let info: RecordingInfo = server.get(&path(worker)).ok(200);
    assert_eq!((info.first_offset, info.end_offset, info.gap_count), (0, all.len() as u64, 0));
    assert!(info.segments > 0 && info.bytes_on_disk > 0 && info.first_at <= info.last_at);
    assert_eq!(output(&format!("?since={}&until={}", info.first_at, info.last_at)).text(), all);
    assert_eq!(output("?until=2001-01-01T00:00:00Z").text(), "");
    assert_eq!(output("?since=2999-01-01T00:00:00Z").text(), "");
    end(&house, worker);
    assert_eq!(output("?from=8&to=16").text(), "line 2\r\n", "the same when it is at rest");
}

#[test]
fn a_range_in_which_nothing_was_printed_is_refused_before_the_first_byte() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = printed(&house, &server, LINES);
    let range = "since=2000-01-01T00:00:00Z&until=2000-01-01T00:00:00Z";
    let answer = raw::get(&server, &format!("{}/export?format=text&{range}", path(worker)));
    assert_eq!(answer.status, 404, "{}", answer.text());
}

#[test]
fn lines_marks_and_screens_are_read_in_pages() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = printed(&house, &server, LINES);
    let whole: RecordedScreen = server.get(&format!("{}/screen", path(worker))).ok(200);
    assert_eq!((whole.text[0].as_str(), whole.text[9].as_str()), ("line 1", "that is all"));
    assert!(!whole.doubtful && !whole.snapshot.is_empty());
    let earlier: RecordedScreen = server.get(&format!("{}/screen?offset=8", path(worker))).ok(200);
    assert_eq!((earlier.offset, earlier.text[0].as_str(), earlier.text[1].as_str()), (8, "line 1", ""));
    let by_time: RecordedScreen = server.get(&format!("{}/screen?at={}", path(worker), whole.at)).ok(200);
    assert_eq!(by_time.text, whole.text);
    end(&house, worker);

    let (mut lines, mut after) = (Vec::new(), String::new());
    loop {
        let page: RecordedLines = server.get(&format!("{}/lines?limit=4{after}", path(worker))).ok(200);
        assert!(page.lines.len() <= 4);
        lines.extend(page.lines.into_iter().map(|line| line.text));
        let Some(next) = page.next else { break };
        after = format!("&after={next}");
    }
    let expected: Vec<String> = (1..=9).map(|i| format!("line {i}")).chain(["that is all".into()]).collect();
    assert_eq!(lines[..10], expected);
    let marks: RecordingMarks = server.get(&format!("{}/marks", path(worker))).ok(200);
    let last = marks.marks.last().expect("a mark");
    assert_eq!(last.kind, "exit", "{marks:?}");
    let none: RecordingMarks = server.get(&format!("{}/marks?limit=0", path(worker))).ok(200);
    assert_eq!(none.marks, []);
}

#[test]
fn s38_an_export_by_the_command_line_and_by_the_server_masks_the_secrets_of_every_process() {
    let house = House::new();
    let server = Server::start(&house);
    // Two environments, each with a secret that the other has not. The shell prints both.
    let script = "mkfifo gate; env -u FIRST_TOKEN SECOND_TOKEN=staple-in-the-harbour cat gate & \
        echo it is correct-horse-battery; echo and staple-in-the-harbour; exec 3> gate; \
        printf 'that is all'; read x";
    let directory = house.path().join("two");
    fs::create_dir(&directory).unwrap();
    let place = ["--cwd", directory.to_str().unwrap(), "--env", "FIRST_TOKEN=correct-horse-battery"];
    let worker = house.worker_with(&place, &["sh", "-c", script]);
    let id = worker.dir.id();
    let by_server = wait_for("all of it", || {
        let export = raw::get(&server, &format!("{}/export?format=text", path(id))).text();
        export.contains("that is all").then_some(export)
    });
    let by_command_line = house.output(["export", id.as_str(), "--format", "text"]);
    assert_eq!(by_command_line, by_server);
    assert!(!by_server.contains("horse") && !by_server.contains("harbour"), "{by_server}");
    worker.send(b"\r");
    worker.wait_for_rest();
}

#[test]
fn a_recording_is_exported_as_a_file_that_no_browser_shows_by_itself() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = printed(&house, &server, LINES);
    end(&house, worker);
    let export = |query: &str| raw::get(&server, &format!("{}/export{query}", path(worker)));
    for (query, ending, begins) in [
        ("", "cast", "{\"version\":3"),
        ("?format=asciicast", "cast", "{\"version\":3"),
        ("?format=text", "txt", "line 1\n"),
        ("?format=html", "html", "<!"),
        ("?format=player", "player.html", "<!"),
        ("?format=svg", "svg", "<svg"),
        ("?format=svg&still=true", "svg", "<svg"),
    ] {
        let file = export(query);
        assert_eq!(file.status, 200, "{query}");
        assert!(
            file.text().replace("\": ", "\":").to_lowercase().starts_with(begins),
            "{query}: {}",
            &file.text()[..60]
        );
        assert_eq!(file.header("content-type"), "application/octet-stream");
        assert_eq!(file.header("content-disposition"), format!("attachment; filename=\"{worker}.{ending}\""));
    }
    assert!(export("?format=text").text().contains("line 9"));
    assert!(export("?format=svg").text().contains("@keyframes"));
    assert!(!export("?format=svg&still=true").text().contains("@keyframes"));
}

#[test]
fn everything_that_was_printed_is_searched_newest_first() {
    let house = House::new();
    let server = Server::start(&house);
    let first = printed(&house, &server, "echo apples; echo the pear; echo plums");
    let second = printed(&house, &server, "echo another Pear");
    let search = |query: &str| server.get(&format!("/api/search?{query}"));
    let found: SearchReply = search("pattern=pear&context=1").ok(200);
    let hits: Vec<_> = found.hits.iter().map(|hit| (hit.worker_id, hit.line.as_str())).collect();
    assert_eq!(hits, [(second, "another Pear"), (first, "the pear")]);
    assert!(found.complete && found.damaged.is_empty());
    let old = &found.hits[1];
    assert_eq!(
        (old.matches.as_slice(), old.before.as_slice(), old.after.as_slice()),
        (&[[4, 8]][..], &["apples".into()][..], &["plums".into()][..])
    );
    let page: SearchReply = search("pattern=pear&limit=1").ok(200);
    assert_eq!(page.hits.len(), 1);
    let next: SearchReply = search(&format!("pattern=pear&limit=1&before={}", page.next.unwrap())).ok(200);
    assert_eq!(next.hits[0].worker_id, first);
    let in_one = |query: &str| search(query).ok::<SearchReply>(200).hits.len();
    assert_eq!(in_one(&format!("pattern=pear&worker={first}")), 1);
    assert_eq!(in_one("pattern=p.%2Br&text=true"), 0);
    assert_eq!(in_one("pattern=pear&worker=00000000"), 0);
    assert_eq!(in_one("pattern=pear&until=2001-01-01T00:00:00Z"), 0);
    search("pattern=%5B").problem(ErrorCode::BadQuery);
    search(&format!("pattern={}", "x".repeat(5000))).problem(ErrorCode::BadQuery);
    search("").problem(ErrorCode::BadQuery);
}

#[test]
fn a_worker_without_a_recording_is_not_found() {
    let house = House::new();
    let server = Server::start(&house);
    let import = json!([{"id": "s", "type": "quick", "locationPath": house.path(), "workers": [
        {"id": "w", "type": "terminal", "name": "Terminal 1"}]}]);
    let imported: api::ImportReply = server.post("/api/sessions/import", import).ok(200);
    let session: api::Session = server.get(&format!("/api/sessions/{}", imported.imported[0])).ok(200);
    for what in ["", "/output", "/lines", "/marks", "/screen", "/export"] {
        server.get(&format!("{}{what}", path(session.workers[0].id))).problem(ErrorCode::NotFound);
    }
}

/// Everything that HTTP gives out of a recording, in one text.
fn everything(server: &Server, worker: WorkerId) -> String {
    let mut all = String::new();
    for what in ["/output", "/lines", "/marks", "/screen", "/screen?history=1000"] {
        all += &raw::get(server, &format!("{}{what}", path(worker))).text();
    }
    let screen: Value =
        serde_json::from_str(&raw::get(server, &format!("{}/screen", path(worker))).text()).unwrap();
    all += &String::from_utf8_lossy(&from_base64(screen["snapshot"].as_str().unwrap()));
    for format in ["asciicast", "text", "html", "player", "svg"] {
        all += &raw::get(server, &format!("{}/export?format={format}", path(worker))).text();
    }
    all += &raw::get(server, "/api/search?pattern=seen&context=10").text();
    all
}

fn from_base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        bits = bits << 6 | alphabet.iter().position(|there| *there == letter).expect("base64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[test]
fn s38_no_route_of_a_recording_gives_out_a_secret() {
    let house = House::new();
    // A secret that the server does not know: it is one of the login's, and so one of the worker's.
    let secret = "tr0ub4dor-battery-staple";
    let profile = "export DEPLOY_TOKEN=\"tr0ub4dor-$(printf battery)-staple\"\n\
        export PLANTED_TOKEN=\"$(printf 9fQ2vTz7)-planted-Lk83mNw\"\n";
    fs::write(house.path().join(".profile"), profile).unwrap();
    let server = Server::start(&house);
    // The command itself is on record, so the secrets are not in it as they are.
    let script = "echo seen \"$PLANTED_TOKEN\"; rest=\"${DEPLOY_TOKEN#??????????????}\"; \
        printf 'seen \\033[31m%s\\033[1m%s\\033[m\\n' \"${DEPLOY_TOKEN%$rest}\" \"$rest\"; \
        printf '\\033]2;%s\\007' \"$DEPLOY_TOKEN\"; echo seen ghp_$(printf 0123456789)abcdefghijABCDEFGHIJ012345";
    let worker = printed(&house, &server, script);
    let recorded = String::from_utf8_lossy(&house.called(worker.as_str()).recorded()).into_owned();
    assert!(recorded.contains(PLANTED), "it was printed: {recorded}");
    let check = |when: &str| {
        let all = everything(&server, worker);
        assert!(all.contains("seen"), "{when}: {all}");
        for part in [PLANTED, secret, "tr0ub4dor", "ghp_0123456789"] {
            assert!(!all.contains(part), "{part} is seen {when}: {all}");
        }
        for pattern in [PLANTED, "tr0ub4dor", "ghp_0123456789"] {
            let found: SearchReply = server.get(&format!("/api/search?text=true&pattern={pattern}")).ok(200);
            assert_eq!(found.hits, [], "{pattern} is found {when}");
        }
    };
    check("while it runs");
    end(&house, worker);
    check("when it is at rest");
    assert_eq!(at_rest_with(&house.path().join("workers"), secret), Vec::<std::path::PathBuf>::new());
}

#[test]
fn s38_with_bad_user_rules_the_server_gives_out_nothing_recorded() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = printed(&house, &server, "echo seen");
    fs::write(house.home().mask_file(), "[[rule]]\nnonsense = 1\n").unwrap();
    for what in ["/output", "/lines", "/screen"] {
        let problem = server.get(&format!("{}{what}", path(worker))).problem(ErrorCode::Unavailable);
        assert!(problem.error.message.contains("line 2"), "{problem:?}");
    }
    server.get("/api/search?pattern=seen").problem(ErrorCode::Unavailable);
    server.get(&format!("{}/export?format=text", path(worker))).problem(ErrorCode::Unavailable);
}
