//! Who did what, and when.

use jiff::Timestamp;
use rusqlite::{Row, params};

use crate::columns::{Columns, stamp};
use crate::error::StoreError;
use crate::store::{Reader, Store};

/// How many entries are kept, the newest: weeks of a busy user's, in a few tens of megabytes.
pub const MOST_AUDIT_ENTRIES: i64 = 100_000;

/// An entry of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number. Later entries have higher ones.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// What, in a word.
    pub action: String,
    /// To what.
    pub object: String,
    /// What else there is to say.
    pub detail: Option<String>,
}

/// An entry to be added to the audit trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAuditEntry<'a> {
    /// Who.
    pub actor: &'a str,
    /// What, in a word.
    pub action: &'a str,
    /// To what.
    pub object: &'a str,
    /// What else there is to say.
    pub detail: Option<&'a str>,
}

impl Reader {
    /// At most `limit` entries, newest first, of those numbered below `before` if that is said.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn audit(&self, before: Option<i64>, limit: usize) -> Result<Vec<AuditEntry>, StoreError> {
        self.read(|tx| {
            let sql = "SELECT * FROM audit WHERE owner = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut entries = tx.prepare_cached(sql)?;
            let newest_first =
                entries.query_map((tx.owner(), before.unwrap_or(i64::MAX), limit), from_row)?;
            Ok(newest_first.collect::<Result<_, _>>()?)
        })
    }
}

impl Store {
    /// Puts something on record, and says under which number. Of more than [`MOST_AUDIT_ENTRIES`] the oldest go.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn add_audit_entry(&self, entry: NewAuditEntry<'_>, now: Timestamp) -> Result<i64, StoreError> {
        self.write(|tx| {
            let sql = "INSERT INTO audit (at, actor, action, object, detail, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let NewAuditEntry { actor, action, object, detail } = entry;
            tx.prepare_cached(sql)?.execute(params![stamp(now), actor, action, object, detail, tx.owner()])?;
            let seq = tx.last_insert_rowid();
            let sql = "DELETE FROM audit WHERE owner = ?1 AND seq <= ?2";
            tx.prepare_cached(sql)?.execute((tx.owner(), seq - MOST_AUDIT_ENTRIES))?;
            Ok(seq)
        })
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        seq: row.get("seq")?,
        at: row.word("at")?,
        actor: row.get("actor")?,
        action: row.get("action")?,
        object: row.get("object")?,
        detail: row.get("detail")?,
    })
}
