//! A request that is on its way.

use std::io::{Read, Write};
use std::net::TcpStream;

use testkit::WAIT;

use crate::server::{Answer, Server};

/// A step that was asked for, and whose answer may take its time.
pub(super) struct Asked(TcpStream);

impl Asked {
    pub(super) fn step(server: &Server, path: &str) -> Asked {
        let mut stream = TcpStream::connect(server.authority()).expect("it listens");
        stream.set_read_timeout(Some(WAIT)).expect("a socket");
        let (authority, token) = (server.authority(), &server.token);
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {token}\r\n\
             connection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("it listens");
        Asked(stream)
    }

    pub(super) fn answer(mut self) -> Answer {
        let mut answer = String::new();
        self.0.read_to_string(&mut answer).expect("an answer");
        let (head, text) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer { status: status.unwrap_or_else(|| panic!("{head}")), text: text.to_owned() }
    }
}
