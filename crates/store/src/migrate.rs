//! The database's shape, and how an older one gets it.
//!
//! `PRAGMA user_version` says how many migrations a database has been through. A release that writes values an older
//! one cannot read (a new kind of worker, say) adds a migration, even an empty one: then the older one refuses the
//! database instead of tripping over it.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::columns::bytes;
use crate::connect;
use crate::file;
use crate::open_error::OpenError;

/// One change of the database's shape, as SQL. It runs in a transaction of its own, with foreign keys off, so that a
/// table can be made anew under the ones that refer to it; they are checked before it is kept.
pub(crate) type Migration = &'static str;

/// Every change there was, oldest first. A released one is never edited.
pub(crate) const MIGRATIONS: &[Migration] = &[
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
    include_str!("migrations/7.sql"),
    include_str!("migrations/8.sql"),
    include_str!("migrations/9.sql"),
    include_str!("migrations/10.sql"),
];

/// The version that a database has after all `migrations`.
pub(crate) fn newest(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).expect("there are a handful of migrations")
}

/// How many migrations a database has been through.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings a database up to date. One that is in a file and not new is copied first.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: Option<&Path>,
    migrations: &[Migration],
) -> Result<(), OpenError> {
    let (found, known) = (version(connection)?, newest(migrations));
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    if found == 0 && !is_empty(connection)? {
        return Err(OpenError::Corrupt { reason: "it is another program's".to_owned() });
    }
    if let Some(path) = path.filter(|_| 0 < found && found < known) {
        back_up(connection, path, known)?;
    }
    connection.pragma_update(None, "foreign_keys", false)?;
    for (migration, to) in migrations.iter().zip(1..).skip(found as usize) {
        step(connection, migration, to)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(())
}

/// One migration: as a whole, or not at all.
fn step(connection: &mut Connection, migration: Migration, to: u32) -> Result<(), OpenError> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(migration)?;
    if let Some(reason) = connect::dangling(&tx)? {
        return Err(OpenError::Corrupt { reason });
    }
    tx.pragma_update(None, "user_version", to)?;
    tx.commit()?;
    Ok(())
}

/// Copies the database to `<path>.before-<version>`, which is there as a whole or not at all.
fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<(), OpenError> {
    let backup = file::beside(path, &format!(".before-{version}"));
    let unfinished = file::beside(&backup, ".new");
    let _ = fs::remove_file(&unfinished);
    files::create_private(&unfinished, b"")?;
    // The cast takes the path's bytes as they are, which need not be text.
    if let Err(error) = connection.execute("VACUUM INTO CAST(?1 AS TEXT)", [bytes(&unfinished)]) {
        // It must not stay and fill a disk that may be full.
        let _ = fs::remove_file(&unfinished);
        return Err(error.into());
    }
    Ok(file::move_for_good(&unfinished, &backup)?)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

#[cfg(test)]
mod tests;
