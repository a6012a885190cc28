//! The page in a real browser, and pages of other sites that attack the server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use server::policy::Policy;

use super::{Server, Workshop, trust};
use crate::house::House;

/// The folder of the scripts that drive the browser, if all that they need is there.
fn tools() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    if !folder.join("node_modules/playwright-core").exists() {
        return Err("no playwright: run `npm ci` in crates/cli/tests/browser".into());
    }
    if !page::is_built() {
        return Err("no web UI: run `cargo xtask web`".into());
    }
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    match ["node", "chromium"].into_iter().find(|tool| !is_there(tool)) {
        Some(missing) => Err(format!("no {missing}")),
        None => Ok(folder),
    }
}

/// A script that drives a browser.
struct Script {
    process: Child,
    input: ChildStdin,
}

impl Script {
    fn run(script: &Path, pictures: &Path, told: &Value) -> Script {
        let mut command = Command::new("node");
        command.arg(script).arg(pictures).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("node was there a moment ago");
        let input = process.stdin.take().expect("its input");
        let mut script = Script { process, input };
        script.tell(told);
        script
    }

    fn tell(&mut self, what: &Value) {
        writeln!(self.input, "{what}").expect("it listens");
    }

    /// Does what it asks for, until it has come to a good end.
    fn serve(mut self, mut please: impl FnMut(&str)) {
        let mut stderr = self.process.stderr.take().expect("its words");
        let complaints = thread::spawn(move || {
            let mut text = String::new();
            // The test prints this text if it fails.
            let _ = stderr.read_to_string(&mut text);
            text
        });
        for line in BufReader::new(self.process.stdout.take().expect("its output")).lines() {
            let line = line.expect("text");
            match line.strip_prefix("please ") {
                Some(wish) => {
                    please(wish);
                    self.tell(&json!("done"));
                }
                None => println!("{line}"),
            }
        }
        let status = self.process.wait().expect("it is ours");
        assert!(status.success(), "{}", complaints.join().unwrap_or_default());
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn s4_a_link_opens_the_page_once_and_the_page_follows_everything_across_servers() {
    let folder = match tools() {
        Ok(folder) => folder,
        Err(why) => return testkit::skip(&why),
    };
    let house = House::new();
    let first = Server::start(&house);
    let (url, authority) = (first.url.clone(), first.authority().to_owned());
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    fs::create_dir_all(&pictures).expect("a directory");
    let told = json!({"url": url, "code": first.code, "token": first.token, "place": house.path()});
    let mut server = Some(first);
    Script::run(&folder.join("page.mjs"), &pictures, &told).serve(|wish| match wish.split_once(' ') {
        Some(("type", worker)) => house.called(worker).send(b"\r"),
        Some(("kill", _)) => server.take().expect("a server").kill(),
        Some(("start", _)) => {
            server = Some(Server::run(&house, house.command(["serve", "--listen", &authority])));
        }
        _ => panic!("what is `{wish}`?"),
    });
}

#[test]
fn s2_s3_s5_s14_pages_of_others_get_nothing_and_change_nothing_in_a_browser_that_is_signed_in() {
    let folder = match tools() {
        Ok(folder) => folder,
        Err(why) => return testkit::skip(&why),
    };
    let shop = Workshop::new();
    let task = shop.running("Something");
    let named = trust::Objects::of(&shop.server, &task);
    let table = server::route_table();
    let sockets = table.iter().filter(|route| matches!(route.policy, Policy::Socket { .. }));
    let sockets: Vec<String> = sockets.map(|route| named.fill(&route.path)).collect();
    assert!(sockets.len() >= 5, "{sockets:?}");
    let posts = json!([
        {"path": "/api/sessions", "body": {"type": "quick", "locationPath": shop.house.path()}},
        {"path": "/api/tasks", "body": {"projectId": shop.id, "title": "Not mine"}},
        {"path": "/api/tokens", "body": {"name": "Not mine", "scope": {"kind": "all"}}},
        {"path": named.fill("/api/tasks/{taskId}/complete"), "body": {}},
        {"path": named.fill("/api/sessions/{sessionId}"), "body": {}},
    ]);
    let server = &shop.server;
    // Its own page comes in first, which is the one thing that changes.
    let told = json!({
        "url": server.url, "code": server.code, "token": server.token, "sockets": sockets, "posts": posts,
    });
    let before = trust::everything(server);
    Script::run(&folder.join("foreign.mjs"), Path::new(""), &told).serve(|wish| panic!("what is `{wish}`?"));
    let mut after = trust::everything(server);
    let tokens = after.get_mut("/api/tokens").and_then(Value::as_array_mut).expect("tokens");
    tokens.retain(|token| before["/api/tokens"].as_array().expect("tokens").contains(token));
    let audit = after.get_mut("/api/audit").and_then(Value::as_array_mut).expect("the audit trail");
    audit.retain(|entry| entry["action"] != "token.sign-in");
    assert_eq!(after, before);
    // The code that they tried is still good.
    let code = Some(json!({"code": server.code}));
    let _: api::NewToken = server.send(ureq::http::Method::POST, "/api/auth/exchange", code, None).ok(200);
}
