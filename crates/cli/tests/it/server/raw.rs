//! Requests that no well-behaved client sends, and answers that are more than text.

use std::io::{Read, Write};
use std::net::TcpStream;

use ureq::Agent;
use ureq::http::{HeaderMap, Request};

use super::{Answer, Server};

/// An answer as it came.
pub(crate) struct Bytes {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Bytes {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The same, as a number.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.header(name).parse().unwrap_or_else(|_| panic!("{name}: {:?}", self.headers))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Gets something that may be more than text.
pub(crate) fn get(server: &Server, path: &str) -> Bytes {
    get_with(server, path, &[])
}

/// The same with headers.
pub(crate) fn get_with(server: &Server, path: &str, headers: &[(&str, &str)]) -> Bytes {
    let request = Request::get(format!("{}{path}", server.url));
    let request = request.header("authorization", format!("Bearer {}", server.token));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    run(request.body(Vec::new()).expect("a request"))
}

/// Posts something that is no JSON.
pub(crate) fn post(server: &Server, path: &str, kind: &str, body: &[u8]) -> Answer {
    let request = Request::post(format!("{}{path}", server.url)).header("content-type", kind);
    let request = request.header("authorization", format!("Bearer {}", server.token));
    let answer = run(request.body(body.to_vec()).expect("a request"));
    Answer { status: answer.status, text: answer.text() }
}

fn run(request: Request<Vec<u8>>) -> Bytes {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).proxy(None).build().into();
    let mut answer = agent.run(request).expect("an answer");
    let body = answer.body_mut().with_config().limit(64 << 20).read_to_vec().expect("a body");
    Bytes { status: answer.status().as_u16(), headers: answer.headers().clone(), body }
}

/// Sends a request line, these headers and a body just as they are.
pub(crate) fn send(server: &Server, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(server.authority()).expect("it listens");
    let mut head = format!("{line} HTTP/1.1\r\nhost: {}\r\n", server.authority());
    head.push_str(&format!("authorization: Bearer {}\r\nconnection: close\r\n", server.token));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).expect("it listens");
    stream.write_all(body).expect("it listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, text) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{line}: {answer}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.unwrap_or_else(|| panic!("{line}: {head}")), text: text.to_owned() }
}
