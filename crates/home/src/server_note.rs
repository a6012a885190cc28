//! The note that the server of a data directory leaves there, for programs that look for it.

use std::io;

use serde::{Deserialize, Serialize};

use crate::{Home, Identity};

/// Which server serves a data directory, as the file `server.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerNote {
    /// Where it is reached.
    pub url: String,
    /// Which process it is.
    #[serde(flatten)]
    pub identity: Identity,
    /// Which release of abide it is.
    pub release: String,
}

impl ServerNote {
    /// The note of the server that runs for a data directory. There is none if no server runs, or if it starts and has
    /// not written its note yet.
    pub fn running(home: &Home) -> Option<ServerNote> {
        let text = files::read_private(&home.server_note()).ok()??;
        let note: ServerNote = serde_json::from_str(&text).ok()?;
        note.identity.is_alive().then_some(note)
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
