//! A connection to the server, by hand.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use testkit::WAIT;

use crate::server::Server;

/// A connection on which a test asks, and reads only what it wants to.
pub(super) struct Line {
    stream: TcpStream,
    authority: String,
    read: Vec<u8>,
}

impl Line {
    pub(super) fn open(server: &Server) -> Line {
        let stream = TcpStream::connect(server.authority()).expect("it listens");
        stream.set_read_timeout(Some(WAIT)).expect("a socket");
        Line { stream, authority: server.authority().to_owned(), read: Vec::new() }
    }

    /// Sends the beginning of a request's head, which says nothing yet.
    pub(super) fn begin(&mut self) {
        write!(self.stream, "GET /api/health HTTP/1.1\r\nhost: {}\r\n", self.authority).expect("it listens");
    }

    /// Sends the rest of it.
    pub(super) fn finish(&mut self) {
        // If the connection is closed, the answer is missing, which the test looks for.
        let _ = self.stream.write_all(b"\r\n");
    }

    pub(super) fn ask(&mut self, path: &str, secret: &str) {
        self.request("GET", path, secret);
    }

    pub(super) fn request(&mut self, method: &str, path: &str, secret: &str) {
        let host = &self.authority;
        let request =
            format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {secret}\r\n\r\n");
        let _ = self.stream.write_all(request.as_bytes());
    }

    /// Reads the head of an answer, and gives its status. 0 if the connection was closed instead.
    pub(super) fn status(&mut self) -> u16 {
        self.head().and_then(|head| head.split(' ').nth(1)?.parse().ok()).unwrap_or(0)
    }

    /// Reads a whole answer that says how long it is.
    pub(super) fn answer(&mut self) -> (u16, String) {
        let Some(head) = self.head() else { return (0, String::new()) };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let length: usize = length.trim().parse().expect("a length");
        while self.read.len() < length && self.more() {}
        let body = self.read.drain(..length.min(self.read.len())).collect();
        (status, String::from_utf8(body).expect("text"))
    }

    /// Whether the server closes the connection, without sending anything more.
    pub(super) fn is_closed(&mut self) -> bool {
        self.read.is_empty() && !self.more()
    }

    /// All that still comes.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        while self.more() {}
        std::mem::take(&mut self.read)
    }

    fn head(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = self.read.drain(..end + 4).collect();
                return Some(String::from_utf8(head).expect("text").to_ascii_lowercase());
            }
            if !self.more() {
                return None;
            }
        }
    }

    /// Reads something; false if the connection was closed.
    fn more(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(read) => {
                self.read.extend(&piece[..read]);
                read > 0
            }
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => false,
            Err(error) => panic!("nothing comes, and it is not closed: {error}"),
        }
    }
}
