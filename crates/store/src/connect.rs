//! From a path to a connection that may be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::Trouble;
use crate::file;
use crate::migrate::{self, MIGRATIONS, Migration};
use crate::open_error::OpenError;

/// How long a writer waits for another program's transaction: longer than a backup of ours takes, shorter than a
/// person waits for an answer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// No other thread uses a connection at the same time, and a link in the file's place is not followed.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// The path with every link in its directory's path resolved, so that only the file itself could still be one.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(parent)?.join(name))
}

/// The connection that writes, to a database that is made, sound and up to date.
pub(crate) fn writer(path: &Path, migrations: &[Migration]) -> Result<Connection, OpenError> {
    refuse_newer(path, migrate::newest(migrations))?;
    file::make_private(path)?;
    let mut connection = Connection::open_with_flags(path, FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if connection.is_readonly("main")? {
        // SQLite makes do with reading, and would go on so when the disk can be written again.
        return Err(OpenError::Unavailable { reason: Trouble::ReadOnly });
    }
    connection.busy_timeout(BUSY_TIMEOUT)?;
    refuse_damaged(&connection)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::Unavailable { reason: Trouble::NoLog });
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    migrate::migrate(&mut connection, Some(path), migrations)?;
    Ok(connection)
}

/// A connection that reads, beside the writer.
pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    // One that may not write at all could not take part in the write-ahead log's bookkeeping.
    let connection = Connection::open_with_flags(path, FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The connection to a database of its own, in memory.
pub(crate) fn in_memory() -> Result<Connection, OpenError> {
    let mut connection = Connection::open_in_memory()?;
    migrate::migrate(&mut connection, None, MIGRATIONS)?;
    Ok(connection)
}

/// Looks at the version without leaving a trace: opening a database in the ordinary way may write to it.
fn refuse_newer(path: &Path, known: u32) -> Result<(), OpenError> {
    let newer = |connection: Connection| migrate::version(&connection).ok().filter(|found| *found > known);
    let read_only = FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let at_rest = || {
        let uri = file::uri(path, "immutable=1");
        Connection::open_with_flags(uri, read_only | OpenFlags::SQLITE_OPEN_URI).ok()
    };
    // The newest version may be in the log only, if its writer was killed.
    let with_log = || {
        let has_log = file::beside(path, "-wal").exists();
        has_log.then(|| Connection::open_with_flags(path, read_only).ok()).flatten()
    };
    // What cannot be read here is met again, and reported, when the database is opened to be used.
    match at_rest().and_then(newer).or_else(|| with_log().and_then(newer)) {
        Some(found) => Err(OpenError::Newer { found, known }),
        None => Ok(()),
    }
}

fn refuse_damaged(connection: &Connection) -> Result<(), OpenError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(OpenError::Corrupt { reason: found }) }
}

/// The first row that refers to one that is not there.
pub(crate) fn dangling(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = check.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
    Ok(Some(format!("a row of `{table}` refers to one of `{parent}` that is not there")))
}
