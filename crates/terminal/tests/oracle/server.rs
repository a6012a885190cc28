//! The Node process behind the oracle, and what it answers.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// One running `serve.mjs`, which judges one request after the other.
pub(crate) struct Oracle {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the oracle, or says what is missing.
    pub(crate) fn start() -> Result<Oracle, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle");
        if !folder.join("node_modules/@xterm/headless").exists() {
            return Err("no xterm.js: run `npm ci` in crates/terminal/tests/oracle".into());
        }
        let mut process = Command::new("node")
            .arg(folder.join("serve.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run node: {error}"))?;
        let requests = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("stdout is piped"));
        Ok(Oracle { process, requests, answers })
    }

    /// Sends a header and its parts, and waits for the answer.
    pub(crate) fn ask(&mut self, mut header: Value, parts: &[&[u8]]) -> Value {
        header["parts"] = parts.iter().map(|part| part.len()).collect();
        let header = header.to_string();
        let mut request = u32::try_from(header.len()).expect("a short header").to_be_bytes().to_vec();
        request.extend_from_slice(header.as_bytes());
        parts.iter().for_each(|part| request.extend_from_slice(part));
        let requests = self.requests.as_mut().expect("open until dropped");
        requests.write_all(&request).expect("the oracle reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the oracle answers");
        serde_json::from_str(&answer)
            .unwrap_or_else(|error| panic!("the oracle answered `{answer}`: {error}"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ = self.process.wait();
    }
}

/// One aspect in which the viewer of a snapshot differs from a viewer that saw everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// When it was seen: at the `cut`, after the `rest`, after the `resize`.
    pub(crate) stage: String,
    /// What differs.
    pub(crate) aspect: String,
    /// Where it first does.
    pub(crate) first: String,
}

impl Difference {
    /// The stage and the aspect: differences of one class often have one cause.
    pub(crate) fn class(&self) -> String {
        format!("{}:{}", self.stage, self.aspect)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.class(), self.first)
    }
}

/// What the oracle made of a case.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// All that differs.
    pub(crate) differences: Vec<Difference>,
    /// What the snapshot drew from the viewer: replies or bells.
    noise: Option<String>,
    /// The fault of xterm.js that makes this case worthless, if it met one.
    pub(crate) void: Option<String>,
}

impl Verdict {
    /// Reads an answer.
    pub(crate) fn read(answer: &Value) -> Verdict {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut differences = Vec::new();
        for stage in answer["stages"].as_array().into_iter().flatten() {
            for difference in stage["differences"].as_array().into_iter().flatten() {
                differences.push(Difference {
                    stage: text(&stage["stage"]).unwrap_or_default(),
                    aspect: text(&difference["aspect"]).unwrap_or_default(),
                    first: text(&difference["first"]).unwrap_or_default(),
                });
            }
        }
        Verdict { differences, noise: text(&answer["noise"]), void: text(&answer["void"]) }
    }

    /// The same, with the noise counted as a difference of its own.
    pub(crate) fn with_noise(mut self) -> Verdict {
        let noise = self.noise.take();
        let stage = "cut".to_owned();
        self.differences.extend(noise.map(|first| Difference { stage, aspect: "noise".into(), first }));
        self
    }
}
