//! What a person has agreed to: commands that a repository brings along.

use jiff::Timestamp;
use model::RepositoryId;
use rusqlite::params;

use crate::columns::stamp;
use crate::error::StoreError;
use crate::repositories;
use crate::store::{Reader, Store};

impl Reader {
    /// Whether the commands with this hash may be run for a repository.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn has_consent(&self, repository: RepositoryId, hash: &[u8; 32]) -> Result<bool, StoreError> {
        self.read(|tx| {
            let sql = "SELECT 1 FROM consents WHERE repository_id = ?1 AND hash = ?2 AND owner = ?3";
            Ok(tx.prepare_cached(sql)?.exists(params![repository.as_str(), hash, tx.owner()])?)
        })
    }
}

impl Store {
    /// Notes that the commands with this hash may be run for a repository.
    ///
    /// # Errors
    ///
    /// When the repository is not there.
    pub fn give_consent(
        &self,
        repository: RepositoryId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|tx| {
            repositories::find(tx, repository)?;
            let sql = "INSERT OR IGNORE INTO consents (repository_id, hash, given_at, owner)
                       VALUES (?1, ?2, ?3, ?4)";
            tx.prepare_cached(sql)?.execute(params![repository.as_str(), hash, stamp(now), tx.owner()])?;
            Ok(())
        })
    }
}
