//! An HTTP server on a real socket that gives the answers a test wrote down.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server does with a request.
#[derive(Clone, Debug)]
enum Reply {
    /// Sends this status and body, and takes the next request on the same connection.
    Body(u16, String),
    /// Sends these bytes, and closes the connection.
    Raw(&'static str),
    /// Sends nothing, and keeps the connection open.
    Nothing,
}

/// An answer in a server's script.
#[derive(Clone, Debug)]
pub struct Answer {
    to: &'static str,
    reply: Reply,
}

impl Answer {
    /// To requests that begin like `to` (`GET /api/tasks`): this status and body.
    pub fn body(to: &'static str, status: u16, body: impl ToString) -> Answer {
        Answer { to, reply: Reply::Body(status, body.to_string()) }
    }

    /// To requests that begin like `to`: these bytes. Then the connection is closed.
    pub fn raw(to: &'static str, bytes: &'static str) -> Answer {
        Answer { to, reply: Reply::Raw(bytes) }
    }

    /// To requests that begin like `to`: nothing, on a connection that stays open.
    pub fn nothing(to: &'static str) -> Answer {
        Answer { to, reply: Reply::Nothing }
    }
}

/// A request that the server got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Method and path: `GET /api/tasks`.
    pub line: String,
    /// Each header in lower case: `content-length: 2`.
    pub headers: Vec<String>,
    /// The body.
    pub body: String,
}

/// A server that follows a script.
#[derive(Debug)]
pub struct ScriptedServer {
    requests: Arc<Mutex<Vec<Request>>>,
}

impl ScriptedServer {
    /// Begins to serve at this path. Each answer is for requests that begin like it, the first time; the last such answer stays.
    /// Requests without the token get status 401, requests without an answer status 404.
    ///
    /// # Panics
    ///
    /// When there is something at the path already.
    pub fn start(socket: &Path, token: &str, script: Vec<Answer>) -> ScriptedServer {
        let listener = UnixListener::bind(socket).expect("a socket");
        let (server, mut serving) = ScriptedServer::with(script);
        serving.credential = Some(format!("authorization: bearer {token}").to_lowercase());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if let Ok(reading) = stream.try_clone() {
                    serving.serve(reading, stream);
                }
            }
        });
        server
    }

    /// The same at a free port of this machine, for requests without a token. Returns the URL too.
    ///
    /// # Panics
    ///
    /// When there is no free port.
    pub fn at_a_port(script: Vec<Answer>) -> (ScriptedServer, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (server, mut serving) = ScriptedServer::with(script);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if let Ok(reading) = stream.try_clone() {
                    serving.serve(reading, stream);
                }
            }
        });
        (server, url)
    }

    fn with<S>(script: Vec<Answer>) -> (ScriptedServer, Serving<S>) {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let serving = Serving { credential: None, script, requests: Arc::clone(&requests), open: Vec::new() };
        (ScriptedServer { requests }, serving)
    }

    /// The requests it got, oldest first.
    ///
    /// # Panics
    ///
    /// When the serving thread panicked.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("the serving thread goes on").clone()
    }
}

struct Serving<S> {
    credential: Option<String>,
    script: Vec<Answer>,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Connections that get no answer.
    open: Vec<S>,
}

impl<S: Write> Serving<S> {
    /// Takes requests until the other side or the script ends the connection.
    fn serve(&mut self, reading: impl Read, mut stream: S) {
        let mut reader = BufReader::new(reading);
        while let Some(request) = read(&mut reader) {
            let reply = self.reply(&request);
            self.requests.lock().expect("the test goes on").push(request);
            let (bytes, goes_on) = match reply {
                Reply::Body(status, body) => {
                    (format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len()), true)
                }
                Reply::Raw(bytes) => (bytes.to_owned(), false),
                Reply::Nothing => return self.open.push(stream),
            };
            if stream.write_all(bytes.as_bytes()).is_err() || !goes_on {
                return;
            }
        }
    }

    fn reply(&mut self, request: &Request) -> Reply {
        if self.credential.as_ref().is_some_and(|needed| !request.headers.contains(needed)) {
            return problem(401, "unauthenticated", "this request needs a valid token");
        }
        let is_for = |answer: &Answer| request.line.starts_with(answer.to);
        let Some(next) = self.script.iter().position(is_for) else {
            return problem(404, "unknown-path", "there is no such path");
        };
        match self.script[next + 1..].iter().any(is_for) {
            true => self.script.remove(next).reply,
            false => self.script[next].reply.clone(),
        }
    }
}

fn problem(status: u16, code: &str, message: &str) -> Reply {
    Reply::Body(status, format!(r#"{{"error":{{"code":"{code}","message":"{message}"}}}}"#))
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let line = head.first()?.rsplit_once(' ')?.0.to_owned();
    let headers: Vec<String> = head[1..].iter().map(|line| line.to_lowercase()).collect();
    let length = headers.iter().find_map(|header| header.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(Ok(0), str::parse).ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body: String::from_utf8(body).ok()? })
}
