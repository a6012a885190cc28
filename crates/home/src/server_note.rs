//! The note that the server of a data directory leaves there, for programs that look for it.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::root::SERVER_SOCKET;
use crate::{Home, Identity};

/// Which server serves a data directory, as the file `server.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerNote {
    /// Where it is reached.
    pub url: String,
    /// The name of its Unix socket in the data directory. There is none if the server could not make one, and in the
    /// notes of releases that have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// Which process it is.
    #[serde(flatten)]
    pub identity: Identity,
    /// Which release of abide it is.
    pub release: String,
}

impl ServerNote {
    /// The name of a server's socket.
    pub const SOCKET: &'static str = SERVER_SOCKET;

    /// The note of the server that runs for a data directory. There is none if no server runs, or if it starts and has
    /// not written its note yet.
    pub fn running(home: &Home) -> Option<ServerNote> {
        let text = files::read_private(&home.server_note()).ok()??;
        let note: ServerNote = serde_json::from_str(&text).ok()?;
        note.identity.is_alive().then_some(note)
    }

    /// Where its socket is, if it has one.
    pub fn socket_path(&self, home: &Home) -> Option<PathBuf> {
        self.socket.as_ref().map(|name| home.root().join(name))
    }

    /// Writes the note, readable by its user only.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn write(&self, home: &Home) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        files::replace_private(&home.server_note(), &text)
    }
}
