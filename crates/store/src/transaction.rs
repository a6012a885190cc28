//! A transaction on one owner's things.

use std::ops::Deref;

use model::OwnerId;
use rusqlite::Connection;

/// A transaction, and whose things it is about. Every query names the owner.
pub(crate) struct Tx<'a> {
    connection: &'a Connection,
    owner: OwnerId,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(connection: &'a Connection, owner: OwnerId) -> Tx<'a> {
        Tx { connection, owner }
    }

    /// Whose things it is about, as the column `owner` has it.
    pub(crate) fn owner(&self) -> &str {
        self.owner.as_str()
    }
}

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}
