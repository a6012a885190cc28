//! A data directory whose server follows a script.

use client::{Client, Error};
use home::{Home, Identity, ServerNote};
use tempfile::TempDir;
use testkit::{Answer, Request, ScriptedServer};

/// The server's token.
pub(crate) const TOKEN: &str = "secret";

/// A data directory and its server.
pub(crate) struct Desk {
    dir: TempDir,
    server: ScriptedServer,
}

impl Desk {
    /// Starts a server with this script.
    pub(crate) fn with(script: Vec<Answer>) -> Desk {
        let dir = TempDir::new().unwrap();
        let server = ScriptedServer::start(&Home::at(dir.path()).server_socket(), TOKEN, script);
        let desk = Desk { dir, server };
        note(&desk.home(), Some(ServerNote::SOCKET));
        files::replace_private(&desk.home().token_file(), format!("{TOKEN}\n").as_bytes()).unwrap();
        desk
    }

    /// Starts a server that answers requests that begin like `to` with this.
    pub(crate) fn answering(to: &'static str, status: u16, body: &str) -> Desk {
        Desk::with(vec![Answer::body(to, status, body)])
    }

    pub(crate) fn home(&self) -> Home {
        Home::at(self.dir.path())
    }

    /// A client of the server.
    pub(crate) fn client(&self) -> Client {
        Client::of(&self.home()).unwrap()
    }

    /// The only request that the server got.
    pub(crate) fn only_request(&self) -> Request {
        let mut requests = self.server.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }

    /// Why a request for all tasks has no reply.
    pub(crate) fn error(&self) -> Error {
        self.client().tasks().unwrap_err()
    }
}

/// Where the server's note says that its port is.
pub(crate) const URL: &str = "http://127.0.0.1:1";

/// Writes a note as the server of a data directory leaves it. The server is this process, which runs.
pub(crate) fn note(home: &Home, socket: Option<&str>) {
    let note = ServerNote {
        url: URL.to_owned(),
        socket: socket.map(str::to_owned),
        identity: Identity::own().unwrap(),
        release: "0.0.0".to_owned(),
    };
    note.write(home).unwrap();
}
