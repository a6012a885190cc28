//! A WebSocket to the server, as a program opens it.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use protocol::{Decoder, HostMessage, ViewerMessage};
use serde_json::Value;
use testkit::WAIT;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use super::Server;

/// How long a read waits before it is looked at whether all of it took too long.
const TURN: Duration = Duration::from_millis(50);

/// A socket.
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
    /// The code with which the server closed it.
    pub(crate) closed: Option<u16>,
}

impl Socket {
    /// Opens one with the owner's token.
    pub(crate) fn open(server: &Server, path: &str) -> Socket {
        Socket::try_open(server, path, &[("authorization", &format!("Bearer {}", server.token))])
            .unwrap_or_else(|status| panic!("{path}: refused with {status}"))
    }

    /// Opens one with these headers; if it is refused, the status of that.
    pub(crate) fn try_open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<Socket, u16> {
        let mut request =
            format!("ws://{}{path}", server.authority()).into_client_request().expect("a request");
        for (name, value) in headers {
            let name: tungstenite::http::HeaderName = name.parse().expect("a name");
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        let stream = TcpStream::connect(server.authority()).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => {
                socket.get_ref().set_read_timeout(Some(TURN)).expect("a socket");
                Ok(Socket { socket, closed: None })
            }
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Opens one at a server that may not be there, or goes at any moment; then there is none.
    pub(crate) fn reach(address: &str, token: &str, path: &str) -> Option<Socket> {
        let mut request = format!("ws://{address}{path}").into_client_request().expect("a request");
        let bearer = format!("Bearer {token}").parse().expect("a value");
        request.headers_mut().insert("authorization", bearer);
        let stream = TcpStream::connect(address).ok()?;
        stream.set_nodelay(true).ok()?;
        let (socket, _) = tungstenite::client(request, stream).ok()?;
        socket.get_ref().set_read_timeout(Some(TURN)).ok()?;
        Some(Socket { socket, closed: None })
    }

    /// Says something as text.
    pub(crate) fn say(&mut self, value: &Value) {
        self.text(&value.to_string());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("it is open");
    }

    /// Sends a frame of the host's protocol.
    pub(crate) fn frame(&mut self, message: &ViewerMessage) {
        self.binary(message.to_bytes());
    }

    pub(crate) fn binary(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::binary(bytes)).expect("it is open");
    }

    /// Sends the head of a binary message of so many bytes, and nothing of the rest: whoever wants none so long says so
    /// before it comes, and one that is still being written would be cut off.
    pub(crate) fn announce(&mut self, bytes: usize) {
        let mut head = vec![0x82, 0x80 | 127];
        head.extend((bytes as u64).to_be_bytes());
        head.extend([0; 4]);
        self.socket.get_mut().write_all(&head).expect("it is open");
    }

    /// The next message; nothing when it was closed, or nothing came for so long.
    pub(crate) fn next_within(&mut self, within: Duration) -> Option<Message> {
        let deadline = Instant::now() + within;
        while self.closed.is_none() && Instant::now() < deadline {
            match self.socket.read() {
                Ok(Message::Close(frame)) => {
                    self.closed = Some(frame.map_or(1005, |frame| frame.code.into()));
                    // The goodbye is sent by this.
                    let _ = self.socket.flush();
                }
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Ok(message) => return Some(message),
                Err(tungstenite::Error::Io(error)) if is_early(&error) => {}
                Err(_) => self.closed = Some(1006),
            }
        }
        None
    }

    /// The next message as JSON.
    pub(crate) fn json(&mut self) -> Value {
        match self.next_within(WAIT) {
            Some(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no text: {other:?}, closed {:?}", self.closed),
        }
    }

    /// Messages until one is as wanted.
    pub(crate) fn wait_for(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + WAIT;
        let mut seen = Vec::new();
        while Instant::now() < deadline && self.closed.is_none() {
            let Some(Message::Text(text)) = self.next_within(TURN) else { continue };
            let value: Value = serde_json::from_str(&text).expect("JSON");
            if is_it(&value) {
                return value;
            }
            seen.push(text.chars().take(300).collect::<String>());
        }
        panic!("{what}: not seen (closed {:?}) among {seen:#?}", self.closed);
    }

    /// The next message of a host; nothing when it was closed, or nothing came for so long.
    pub(crate) fn host_message_within(&mut self, within: Duration) -> Option<HostMessage> {
        let Some(Message::Binary(bytes)) = self.next_within(within) else { return None };
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        let frame = decoder.next_frame().expect("a frame").expect("a whole one");
        HostMessage::read(frame).expect("a message")
    }

    /// Sends a frame of the host's protocol to a server that may have gone.
    pub(crate) fn try_frame(&mut self, message: &ViewerMessage) {
        self.try_send(Message::binary(message.to_bytes()));
    }

    /// Sends a text to a server that may not want to hear it to its end.
    pub(crate) fn try_text(&mut self, text: &str) {
        self.try_send(Message::text(text));
    }

    fn try_send(&mut self, message: Message) {
        if self.socket.send(message).is_err() {
            self.closed.get_or_insert(1006);
        }
    }

    /// The next message of a host.
    pub(crate) fn host_message(&mut self) -> HostMessage {
        match self.next_within(WAIT) {
            Some(Message::Binary(bytes)) => {
                let mut decoder = Decoder::default();
                decoder.push(&bytes);
                let frame = decoder.next_frame().expect("a frame").expect("a whole one");
                HostMessage::read(frame).expect("a message").expect("one that we know")
            }
            other => panic!("no frame: {other:?}, closed {:?}", self.closed),
        }
    }

    /// Reads until it is closed, and says with which code.
    pub(crate) fn wait_for_close(&mut self) -> u16 {
        let deadline = Instant::now() + WAIT;
        while self.closed.is_none() {
            assert!(Instant::now() < deadline, "it is still open");
            self.next_within(TURN);
        }
        self.closed.unwrap_or_default()
    }
}

fn is_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
