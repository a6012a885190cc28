//! A WebSocket to the server, as a program opens it.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use protocol::{Decoder, HostMessage, ViewerMessage};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{HandshakeError, Message, WebSocket};

use super::Server;
use crate::WAIT;

/// How long a read waits before it is looked at whether all of it took too long.
const TURN: Duration = Duration::from_millis(50);

/// How a socket was closed: the code and the reason.
pub type Closed = (u16, String);

/// A socket.
pub struct Socket {
    socket: WebSocket<TcpStream>,
    /// How it was closed.
    pub closed: Option<Closed>,
}

impl Socket {
    /// Opens one with the owner's token.
    pub fn open(server: &Server, path: &str) -> Socket {
        Socket::open_as(server, path, &server.token)
            .unwrap_or_else(|status| panic!("{path}: refused with {status}"))
    }

    /// Opens one with this token; if it is refused, the status of that.
    pub fn open_as(server: &Server, path: &str, token: &str) -> Result<Socket, u16> {
        Socket::try_open(server, path, &[("authorization", &format!("Bearer {token}"))])
    }

    /// Opens one with these headers; if it is refused, the status of that.
    pub fn try_open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<Socket, u16> {
        match Socket::shake_hands(server.authority(), path, headers) {
            Ok(socket) => Ok(socket),
            Err(tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Opens a socket to a server that may be killed at any moment. `None` if it could not be opened.
    pub fn reach(address: &str, token: &str, path: &str) -> Option<Socket> {
        Socket::shake_hands(address, path, &[("authorization", &format!("Bearer {token}"))]).ok()
    }

    fn shake_hands(address: &str, path: &str, headers: &[(&str, &str)]) -> tungstenite::Result<Socket> {
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        for (name, value) in headers {
            let name: tungstenite::http::HeaderName = name.parse().expect("a name");
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(WAIT))?;
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| match error {
            HandshakeError::Failure(error) => error,
            HandshakeError::Interrupted(_) => panic!("{path}: no answer within {WAIT:?}"),
        })?;
        socket.get_ref().set_read_timeout(Some(TURN))?;
        Ok(Socket { socket, closed: None })
    }

    /// Says something as text.
    pub fn say(&mut self, value: &Value) {
        self.text(&value.to_string());
    }

    /// Sends a text.
    pub fn text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("it is open");
    }

    /// Sends a frame of the host's protocol.
    pub fn frame(&mut self, message: &ViewerMessage) {
        self.binary(message.to_bytes());
    }

    /// Sends bytes.
    pub fn binary(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::binary(bytes)).expect("it is open");
    }

    /// Sends the head of a binary message of so many bytes, and nothing of the rest. A server that refuses such a length
    /// says so after the head; if we still wrote the rest then, its answer would be cut off.
    pub fn announce(&mut self, bytes: usize) {
        let mut head = vec![0x82, 0x80 | 127];
        head.extend((bytes as u64).to_be_bytes());
        head.extend([0; 4]);
        self.socket.get_mut().write_all(&head).expect("it is open");
    }

    /// The next message; nothing when it was closed, or nothing came for so long.
    pub fn next_within(&mut self, within: Duration) -> Option<Message> {
        let deadline = Instant::now() + within;
        while self.closed.is_none() && Instant::now() < deadline {
            match self.turn() {
                None | Some(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Some(message) => return Some(message),
            }
        }
        None
    }

    /// Whether the server lets it stay open. The server answers a ping after it has read everything that was said before.
    pub fn stays_open(&mut self) -> bool {
        let deadline = Instant::now() + WAIT;
        self.try_send(Message::Ping(Vec::new().into()));
        while self.closed.is_none() {
            assert!(Instant::now() < deadline, "the server neither answers nor closes it");
            if let Some(Message::Pong(_)) = self.turn() {
                return true;
            }
        }
        false
    }

    /// Reads once; nothing when nothing came for a turn, or it was closed.
    fn turn(&mut self) -> Option<Message> {
        match self.socket.read() {
            Ok(Message::Close(frame)) => {
                let told = frame.map(|frame| (frame.code.into(), frame.reason.to_string()));
                self.closed = Some(told.unwrap_or((1005, String::new())));
                // The flush sends the answer to the close frame.
                let _ = self.socket.flush();
                None
            }
            Ok(message) => Some(message),
            Err(tungstenite::Error::Io(error)) if is_early(&error) => None,
            Err(_) => {
                self.closed = Some((1006, String::new()));
                None
            }
        }
    }

    /// The next message. It must come, unless the socket is closed.
    pub fn message(&mut self) -> Result<Message, Closed> {
        match (self.next_within(WAIT), &self.closed) {
            (Some(message), _) => Ok(message),
            (None, Some(closed)) => Err(closed.clone()),
            (None, None) => panic!("nothing came within {WAIT:?}"),
        }
    }

    /// The next message as JSON.
    pub fn json(&mut self) -> Value {
        match self.message() {
            Ok(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no text: {other:?}"),
        }
    }

    /// Reads JSON messages until one has this type.
    pub fn wait_for_type(&mut self, kind: &str) -> Value {
        self.wait_for(kind, |message| message["type"] == kind)
    }

    /// Reads JSON messages until their data contains a text, and gives all data up to there. Counts only one worker's
    /// data if it is named.
    pub fn wait_for_data(&mut self, worker: Option<&str>, text: &str) -> String {
        let mut shown = String::new();
        self.wait_for(text, |message| {
            if worker.is_none_or(|worker| message["workerId"] == worker) {
                shown.push_str(message["data"].as_str().unwrap_or_default());
            }
            shown.contains(text)
        });
        shown
    }

    /// Reads JSON messages until one is as wanted.
    pub fn wait_for(&mut self, what: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let deadline = Instant::now() + WAIT;
        let mut seen = Vec::new();
        while Instant::now() < deadline && self.closed.is_none() {
            let Some(message) = self.next_within(TURN) else { continue };
            let Message::Text(text) = message else { panic!("{what}: this is not text: {message:?}") };
            let value: Value = serde_json::from_str(&text).expect("JSON");
            if is_it(&value) {
                return value;
            }
            seen.push(text.chars().take(300).collect::<String>());
        }
        panic!("{what}: not seen (closed {:?}) among {seen:#?}", self.closed);
    }

    /// The next message of a host; nothing when it was closed, or nothing came for so long.
    pub fn host_message_within(&mut self, within: Duration) -> Option<HostMessage> {
        self.next_within(within).map(host_message)
    }

    /// The next message of a host. It must come, unless the socket is closed.
    pub fn host_message(&mut self) -> Result<HostMessage, Closed> {
        self.message().map(host_message)
    }

    /// Reads messages of a host until one is as wanted.
    pub fn wait_for_message<T>(&mut self, what: &str, mut wanted: impl FnMut(HostMessage) -> Option<T>) -> T {
        let deadline = Instant::now() + WAIT;
        loop {
            let message = self.host_message().unwrap_or_else(|closed| panic!("{what}: closed: {closed:?}"));
            if let Some(found) = wanted(message) {
                return found;
            }
            assert!(Instant::now() < deadline, "{what}: not seen within {WAIT:?}");
        }
    }

    /// Reads messages of a host until its output contains a text, and gives all output up to there.
    pub fn wait_for_output(&mut self, text: &str) -> String {
        let mut shown = String::new();
        while !shown.contains(text) {
            match self.host_message() {
                Ok(HostMessage::Output { bytes, .. } | HostMessage::Snapshot { bytes, .. }) => {
                    shown.push_str(&String::from_utf8_lossy(&bytes));
                }
                Ok(_) => {}
                Err(closed) => panic!("{text:?} is not shown: {closed:?}\n{shown:?}"),
            }
        }
        shown
    }

    /// Sends a message to a server that may have gone, or may not want to hear it to its end.
    pub fn try_send(&mut self, message: Message) {
        // If the server has closed the socket, the next read shows the reason.
        let _ = self.socket.send(message);
    }

    /// Reads until it is closed, and says how.
    pub fn wait_for_close(&mut self) -> Closed {
        let deadline = Instant::now() + WAIT;
        loop {
            if let Some(closed) = &self.closed {
                return closed.clone();
            }
            assert!(Instant::now() < deadline, "it is still open");
            self.next_within(TURN);
        }
    }
}

fn host_message(message: Message) -> HostMessage {
    let Message::Binary(bytes) = message else { panic!("no frame: {message:?}") };
    let mut decoder = Decoder::default();
    decoder.push(&bytes);
    let frame = decoder.next_frame().expect("a frame").expect("a whole one");
    let message = HostMessage::read(frame).expect("a message").expect("one that we know");
    assert!(decoder.unfinished().is_empty(), "each message has one frame");
    message
}

fn is_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
