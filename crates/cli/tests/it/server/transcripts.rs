//! The conversations of agents as their programs keep them, and what they used.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use api::{
    ErrorCode, NewToken, SessionReply, Transcript, TranscriptContent, TranscriptEntry, UsageReport, UsageRow,
    Worker, WorkerReply,
};
use model::WorkerId;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Server;
use crate::house::{House, signal, wait_for};
use crate::planted;

/// A server with stand-ins for agents, whose home is not the data directory: what they write is their own.
struct Archive {
    // In this order: the server goes before its house.
    server: Server,
    house: House,
    home: TempDir,
}

impl Archive {
    fn new() -> Archive {
        let home = tempfile::tempdir().unwrap();
        let house = House::new().setting("HOME", home.path().to_str().unwrap());
        let agent = |id: &str, form: &str| {
            format!(
                "[[agent]]\nid = \"{id}\"\nname = \"The {id}\"\nprograms = [\"{id}\"]\n\
                 command = [\"sh\", \"-c\", \"printf '\\\\033]7501;state=idle\\\\007'; cat\", \"{id}\"]\n\
                 start-with-id = [\"--session-id\", \"{{id}}\"]\nresume = [\"--resume\", \"{{id}}\"]\n{form}\n"
            )
        };
        let keeps = "[agent.conversation]\nkept-in = \"~/kept/*/{id}.jsonl\"";
        let definitions = [
            agent("scribe", &format!("transcript = \"claude\"\n{keeps}")),
            agent("clerk", &format!("transcript = \"codex\"\n{keeps}")),
            agent("merchant", &format!("transcript = \"pi\"\n{keeps}")),
            agent(
                "twin",
                "transcript = \"gemini\"\n[agent.conversation]\nkept-in = \"~/kept/*/session-*-{id8}.jsonl\"",
            ),
            agent("mute", keeps),
        ];
        fs::write(house.path().join("agents.toml"), definitions.concat()).unwrap();
        fs::create_dir_all(home.path().join("kept/here")).unwrap();
        let server = Server::start(&house);
        Archive { server, house, home }
    }

    fn begin(&self, agent: &str) -> Worker {
        let session = json!({"type": "quick", "locationPath": self.house.path(), "agentId": agent});
        let reply: SessionReply = self.server.post("/api/sessions", session).ok(201);
        reply.session.workers[0].clone()
    }

    fn beside(&self, worker: &Worker, agent: &str) -> Worker {
        let path = format!("/api/sessions/{}/workers", worker.session_id);
        self.server.post(&path, json!({"type": "agent", "agentId": agent})).ok::<WorkerReply>(201).worker
    }

    /// The id that abide chose for the worker's conversation.
    fn conversation(&self, worker: &Worker) -> String {
        let meta = fs::read_to_string(self.house.home().worker(worker.id).path().join("meta.json")).unwrap();
        let meta: Value = serde_json::from_str(&meta).unwrap();
        let command: Vec<&str> =
            meta["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let at = command.iter().position(|word| word.starts_with("--")).expect("an option");
        command[at + 1].to_owned()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("kept/here").join(name)
    }

    fn write(&self, worker: &Worker, text: &str) {
        let file = self.file(&format!("{}.jsonl", self.conversation(worker)));
        let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn page(&self, worker: WorkerId, after: Option<&str>) -> Transcript {
        let after = after.map(|after| format!("?after={after}")).unwrap_or_default();
        self.server.get(&format!("/api/workers/{worker}/transcript{after}")).ok(200)
    }

    fn why_not(&self, worker: &Worker) -> String {
        let answer = self.server.get(&format!("/api/workers/{}/transcript", worker.id));
        answer.problem(ErrorCode::WrongState).error.message
    }

    fn usage(&self, by: &str) -> UsageReport {
        self.server.get(&format!("/api/usage?by={by}")).ok(200)
    }

    fn kill(&self, worker: &Worker) {
        signal(self.house.called(worker.id.as_str()).status().child_pid, Signal::KILL);
        self.server.wait_for_worker(worker.id, "its end", |worker| worker.ended_at.is_some());
    }
}

fn prompt(text: &str) -> String {
    let record = json!({"type": "user", "timestamp": "2026-11-19T10:00:00Z", "message": {"content": text}});
    format!("{record}\n")
}

/// An answer of Claude's, with what it used.
fn answer(id: &str, day: u8, blocks: Value, output: u64) -> String {
    let usage = json!({"input_tokens": 10, "output_tokens": output, "cache_read_input_tokens": 100});
    let message = json!({"id": id, "model": "opus", "content": blocks, "usage": usage});
    let record =
        json!({"type": "assistant", "timestamp": format!("2026-11-{day}T12:00:00Z"), "message": message});
    format!("{record}\n")
}

fn said(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// The text of an entry, behind its kind.
fn line(entry: &TranscriptEntry) -> Option<String> {
    let value = serde_json::to_value(entry).unwrap();
    let text = value["text"].as_str()?;
    Some(format!("{}: {text}", value["kind"].as_str().unwrap()))
}

fn lines(transcript: &Transcript) -> Vec<String> {
    transcript.entries.iter().filter_map(line).collect()
}

#[test]
fn the_conversation_of_an_agent_is_read_in_pages_and_as_it_grows() {
    let archive = Archive::new();
    let worker = archive.begin("scribe");
    let other = archive.beside(&worker, "scribe");
    archive.write(&worker, &(prompt("Fix the door") + &answer("a", 19, said("Done."), 7)));
    // The other one is in the same directory and was written later.
    archive.write(&other, &prompt("not for you"));
    let first = archive.page(worker.id, None);
    assert_eq!(lines(&first), ["prompt: Fix the door", "answer: Done."]);
    assert!(first.complete && first.from_start && first.agent_id == "scribe");
    assert_eq!(first.conversation_id, archive.conversation(&worker));
    assert_eq!(lines(&archive.page(other.id, None)), ["prompt: not for you"]);
    // Nothing new, half a line, and the rest of it.
    let second = archive.page(worker.id, Some(&first.next));
    assert!(second.entries.is_empty() && second.complete && !second.from_start);
    let more = prompt("And the window");
    archive.write(&worker, &more[..20]);
    assert_eq!(archive.page(worker.id, Some(&second.next)), second);
    archive.write(&worker, &more[20..]);
    assert_eq!(lines(&archive.page(worker.id, Some(&second.next))), ["prompt: And the window"]);
    // Many entries come in several pages.
    archive.write(&worker, &(0..500).map(|number| prompt(&format!("number {number}"))).collect::<String>());
    let (mut next, mut all, mut pages) = (None, Vec::new(), 0);
    loop {
        let page = archive.page(worker.id, next.as_deref());
        all.extend(lines(&page));
        (next, pages) = (Some(page.next), pages + 1);
        if page.complete {
            break;
        }
    }
    assert_eq!((all.len(), pages), (503, 3));
    assert_eq!(all.last().unwrap(), "prompt: number 499");
    // What was read of another conversation is no place in this one.
    let elsewhere = archive.page(worker.id, Some(&archive.page(other.id, None).next));
    assert!(elsewhere.from_start);
    let wrong = archive.server.get(&format!("/api/workers/{}/transcript?after=7", worker.id));
    wrong.problem(ErrorCode::BadQuery);
    // Who may watch the worker may read this, and nothing of another worker.
    let scope = json!({"kind": "worker", "workerId": worker.id, "drive": false});
    let watcher: NewToken =
        archive.server.post("/api/tokens", json!({"name": "watcher", "scope": scope})).ok(201);
    let get =
        |path: &str| archive.server.send(ureq::http::Method::GET, path, None, Some(&watcher.secret)).status;
    assert_eq!(get(&format!("/api/workers/{}/transcript", worker.id)), 200);
    assert_eq!(get(&format!("/api/workers/{}/transcript", other.id)), 404);
    assert_eq!(get("/api/usage"), 403);
}

#[test]
fn s38_no_secret_leaves_with_a_transcript() {
    let archive = Archive::new();
    let worker = archive.begin("scribe");
    let [variable, key, password] = planted::secrets();
    let (half, other_half) = key.split_at(key.len() / 2);
    let call = json!([
        {"type": "thinking", "thinking": format!("The key is {key}")},
        {"type": "tool_use", "id": format!("id {key}"), "name": format!("Bash {key}"),
            "input": {"command": format!("curl \"{variable}\"\n\tpassword={password}"), "env": {"TOKEN": &variable}}},
    ]);
    let result = json!([{"type": "tool_result", "tool_use_id": "id", "content":
        format!("\u{1b}[31m{half}\u{1b}[m{other_half}\u{7}\u{202e} export TOKEN={variable}")}]);
    let result = json!({"type": "user", "message": {"content": result}});
    let mut used: Value = serde_json::from_str(&answer("b", 19, said("ok"), 1)).unwrap();
    used["message"]["model"] = json!(format!("model {key}"));
    let texts = [
        prompt(&format!("use {variable} and {key}")),
        answer(&key, 19, call, 3),
        format!("{result}\n{used}\n"),
        // A secret that the cut goes through.
        prompt(&format!("{} {key}", "x".repeat(16_000 - 10))),
    ];
    archive.write(&worker, &texts.concat());
    let name = archive.house.called(worker.id.as_str());
    let all = [
        archive.server.get(&format!("/api/workers/{}/transcript", worker.id)).text,
        archive.server.get("/api/usage").text,
        archive.house.output(["transcript", "--full", name.name.as_str()]),
        archive.house.output(["transcript", "--json", name.name.as_str()]),
        archive.house.output(["usage"]),
    ];
    for text in all {
        for secret in [variable.as_str(), key.as_str(), password.as_str(), other_half] {
            let at = text.find(secret).map(|at| &text[at.saturating_sub(200)..]);
            assert_eq!(at.map(|text| text.chars().take(400).collect::<String>()), None, "{secret}");
        }
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert_eq!(text.find(steers), None);
    }
    let page = archive.page(worker.id, None);
    let texts = lines(&page);
    assert!(texts[2].starts_with("call: curl \"") && texts[2].contains("***"), "{}", texts[2]);
    assert!(texts.last().unwrap().ends_with('…'));
}

#[test]
fn a_worker_without_a_transcript_says_why() {
    let archive = Archive::new();
    let (_, terminal) = archive.server.terminal(archive.house.path().to_str().unwrap(), "cat");
    assert_eq!(archive.why_not(&terminal), "the worker runs no agent that abide knows");
    let mute = archive.begin("mute");
    assert_eq!(archive.why_not(&mute), "abide cannot read the transcripts of The mute");
    let scribe = archive.begin("scribe");
    let missing = "The scribe has not written down its conversation yet, or its file is gone";
    assert_eq!(archive.why_not(&scribe), missing);
    let words = archive.house.refused(&["transcript", scribe.id.as_str()], 1);
    assert!(words.contains(missing) && words.contains("from the first prompt on"), "{words}");
    let report = archive.usage("worker");
    assert_eq!(report.rows, []);
    let mut unknown: Vec<_> = report.unknown.iter().map(|unknown| unknown.worker_id).collect();
    unknown.sort();
    let mut expected = [mute.id, scribe.id];
    expected.sort();
    assert_eq!(unknown, expected);
    // A directory is no file, and a file that begins with the same letters may be of another conversation.
    fs::create_dir(archive.file(&format!("{}.jsonl", archive.conversation(&scribe)))).unwrap();
    assert_eq!(archive.why_not(&scribe), missing);
    let twin = archive.begin("twin");
    let id = archive.conversation(&twin);
    let message = |text: &str| json!({"id": "m", "type": "user", "content": [{"text": text}]});
    let write = |name: &str, id: &str, text: &str| {
        let name = archive.file(&format!("session-{name}-{}.jsonl", &id[..8]));
        fs::write(name, format!("{}\n{}\n", json!({"sessionId": id}), message(text))).unwrap();
    };
    let other = format!("{}-0000-4000-8000-000000000000", &id[..8]);
    write("2", &other, "not for you");
    assert!(archive.why_not(&twin).contains("has not written down"));
    write("1", &id, "for you");
    assert_eq!(lines(&archive.page(twin.id, None)), ["prompt: for you"]);
}

#[test]
fn usage_is_summed_up_by_worker_task_agent_and_day() {
    let archive = Archive::new();
    let one = archive.begin("scribe");
    let two = archive.beside(&one, "scribe");
    let clerk = archive.beside(&one, "clerk");
    let merchant = archive.beside(&one, "merchant");
    archive.write(
        &one,
        &[
            prompt("a"),
            answer("a", 18, said("x"), 1),
            answer("a", 18, said("y"), 7),
            answer("b", 19, said("z"), 2),
        ]
        .concat(),
    );
    archive.write(&two, &(prompt("b") + &answer("c", 19, said("x"), 30)));
    let total =
        json!({"input_tokens": 50, "cached_input_tokens": 20, "output_tokens": 5, "total_tokens": 55});
    let info = json!({"total_token_usage": total, "last_token_usage": total, "model_context_window": 100});
    let limits =
        json!({"primary": {"used_percent": 25.0, "window_minutes": 300, "resets_at": 1_795_140_000}});
    let count = json!({"type": "token_count", "info": info, "rate_limits": limits});
    let record = json!({"timestamp": "2026-11-19T12:00:00Z", "type": "event_msg", "payload": count});
    archive.write(&clerk, &format!("{record}\n{record}\n"));
    let used = json!({"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 7, "cost": {"total": 0.25}});
    let message = json!({"role": "assistant", "content": [], "model": "m", "usage": used});
    let sold = json!({"type": "message", "id": "1", "timestamp": "2026-11-19T12:00:00Z", "message": message});
    archive.write(&merchant, &format!("{sold}\n"));

    let row = |report: &UsageReport, key: &str| -> UsageRow {
        let found = report.rows.iter().find(|row| row.key.as_deref() == Some(key));
        found.unwrap_or_else(|| panic!("{key}: {report:?}")).clone()
    };
    let by_worker = archive.usage("worker");
    let ones = row(&by_worker, one.id.as_str());
    assert_eq!((ones.sum.turns, ones.sum.requests), (1, 2));
    assert_eq!((ones.sum.tokens.input, ones.sum.tokens.output, ones.sum.tokens.cache_read), (20, 9, 200));
    assert_eq!((ones.sum.cost_usd, ones.sum.unpriced), (None, 2));
    assert_eq!(ones.sum.models[0].as_str(), "opus");
    let clerks = row(&by_worker, clerk.id.as_str());
    assert_eq!((clerks.sum.requests, clerks.sum.tokens.input, clerks.sum.tokens.cache_read), (1, 30, 20));
    assert_eq!(clerks.context.unwrap().left, Some(45));
    assert_eq!((clerks.limits[0].used_percent, clerks.limits[0].window_minutes), (25.0, Some(300)));
    let merchants = row(&by_worker, merchant.id.as_str());
    assert_eq!((merchants.sum.cost_usd, merchants.sum.unpriced), (Some(0.25), 0));
    assert_eq!((by_worker.total.requests, by_worker.total.tokens.output), (5, 9 + 30 + 5 + 4));
    assert_eq!((by_worker.total.cost_usd, by_worker.total.unpriced), (Some(0.25), 4));

    let by_agent = archive.usage("agent");
    assert_eq!(row(&by_agent, "scribe").sum.tokens.output, 39);
    let by_task = archive.usage("task");
    assert_eq!((by_task.rows.len(), by_task.rows[0].key.as_deref()), (1, None));
    let by_day = archive.usage("day");
    let days: Vec<_> =
        by_day.rows.iter().map(|row| (row.key.as_deref().unwrap(), row.sum.tokens.output)).collect();
    assert_eq!(days, [("2026-11-18", 7), ("2026-11-19", 41)]);
    // What is new is added, and a conversation that goes on in another worker counts once.
    archive.write(&one, &answer("d", 19, said("x"), 1000));
    assert_eq!(archive.usage("agent").total.tokens.output, 1048);
    archive.kill(&one);
    let path = format!("/api/sessions/{}/workers/{}/restart", one.session_id, one.id);
    let again: WorkerReply = archive.server.step(&path).ok(200);
    let by_worker = archive.usage("worker");
    assert_eq!(by_worker.total.tokens.output, 1048);
    assert_eq!(row(&by_worker, again.worker.id.as_str()).sum.tokens.output, 1009);
    assert!(by_worker.rows.iter().all(|row| row.key.as_deref() != Some(one.id.as_str())));

    let text = archive.house.output(["usage", "--by", "agent"]);
    let merchant = text.lines().find(|line| line.starts_with("The merchant")).expect("a line");
    assert!(merchant.contains("$0.25 ") && text.contains("\ntotal ") && text.contains("$0.25+"), "{text}");
    assert!(text.contains("limit 75%"), "{text}");
    let json: Value = serde_json::from_str(&archive.house.output(["usage", "--json"])).unwrap();
    assert_eq!(json["total"]["output"], 1048);
}

#[test]
fn a_conversation_is_printed_as_text_and_followed_to_its_end() {
    let archive = Archive::new();
    let worker = archive.begin("scribe");
    let call =
        json!([{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls", "timeout": 3}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "c", "content": "one\ntwo"}]);
    let result = json!({"type": "user", "message": {"content": result}});
    archive.write(
        &worker,
        &[
            prompt("Look"),
            answer("a", 19, call, 1),
            format!("{result}\n"),
            answer("b", 19, said("# Two\nfiles"), 1),
        ]
        .concat(),
    );
    let id = worker.id.as_str();
    let text = archive.house.output(["transcript", id]);
    let expected = "> Look\n\n  * Bash: ls … (1 more line)\n    = one … (1 more line)\n# Two\nfiles\n\n";
    assert!(text.ends_with(expected), "{text}");
    assert!(archive.house.output(["transcript", "--full", id]).contains("    = one\n    two\n"));
    let json = archive.house.output(["transcript", "--json", id]);
    let entries: Vec<TranscriptEntry> =
        json.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect();
    let results = entries.iter().filter(|entry| matches!(entry.content, TranscriptContent::Result { .. }));
    assert_eq!(results.count(), 1);

    let printed = archive.home.path().join("printed");
    let mut follow = archive.house.command(["transcript", "--follow", id]);
    let out = File::create(&printed).unwrap();
    let mut following = follow.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let shows = |text: &str| {
        wait_for(text, || fs::read_to_string(&printed).unwrap().contains(text).then_some(()));
    };
    shows("# Two\nfiles");
    archive.write(&worker, &prompt("More"));
    shows("> More");
    archive.kill(&worker);
    let ended = wait_for("the end", || following.try_wait().unwrap());
    assert!(ended.success());
    let text = fs::read_to_string(&printed).unwrap();
    assert_eq!(text.matches("# Two").count(), 1, "{text}");
}
