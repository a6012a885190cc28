//! What one owner has in a database.

use std::fmt;
use std::ops::Deref;

use model::OwnerId;

use crate::connect;
use crate::database::Database;
use crate::error::StoreError;
use crate::transaction::Tx;

/// Reads one owner's things, and cannot change any. Nothing of other owners is seen: it is as if it were not there.
#[derive(Clone)]
pub struct Reader {
    database: Database,
    owner: OwnerId,
}

/// Reads and changes one owner's things. What a [`Reader`] can do, it can do too.
#[derive(Clone, Debug)]
pub struct Store(Reader);

impl Reader {
    /// Looks through the whole database for damage and for references to what is not there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] with the first finding.
    pub fn check(&self) -> Result<(), StoreError> {
        self.read(|tx| {
            let found: String = tx.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            if found != "ok" {
                return Err(StoreError::Corrupt { reason: found });
            }
            match connect::dangling(tx)? {
                Some(reason) => Err(StoreError::Corrupt { reason }),
                None => Ok(()),
            }
        })
    }

    /// Runs `work` on one state of the database.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.database.read(|connection| work(&Tx::new(connection, self.owner)))
    }
}

impl Store {
    pub(crate) fn new(database: Database, owner: OwnerId) -> Store {
        Store(Reader { database, owner })
    }

    /// Whose things they are.
    pub fn owner(&self) -> OwnerId {
        self.0.owner
    }

    /// Runs `work` as the only one that writes. What it did stays if it ends well, and else nothing of it.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let owner = self.0.owner;
        self.0.database.write(owner, |connection| work(&Tx::new(connection, owner)))
    }
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.0
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("owner", &self.owner).finish_non_exhaustive()
    }
}
