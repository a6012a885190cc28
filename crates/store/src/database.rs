//! The database as a whole: one connection that writes, a few that read.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use model::OwnerId;
use rusqlite::{Connection, TransactionBehavior};

use crate::changes::Changes;
use crate::connect;
use crate::error::StoreError;
use crate::migrate::MIGRATIONS;
use crate::object::Object;
use crate::open_error::OpenError;
use crate::store::Store;

/// How many calls can read at the same time. Reads take far less than a millisecond, so that few suffice.
const READERS: usize = 4;

/// More statements than there are.
const STATEMENTS: usize = 256;

/// Is told whose things a transaction changed, and which.
type Listener = dyn Fn(OwnerId, &[Object]) + Send + Sync;

/// One database. A clone is another handle to the same one.
///
/// A process opens a database once: if it is opened twice, writes over one may find it locked by the other.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    writer: Mutex<Connection>,
    /// Empty for a database in memory, which only one connection can see.
    readers: Vec<Mutex<Connection>>,
    /// Who waits next, when all readers are taken.
    next_reader: AtomicUsize,
    changes: Changes,
    listener: OnceLock<Box<Listener>>,
}

impl Database {
    /// Opens the database at `path`, makes it if it is not there, and brings it up to date. Before an older one is
    /// changed it is copied to `<path>.before-<version>`. The directory must be there.
    ///
    /// # Errors
    ///
    /// When it is newer than this program, damaged, or cannot be used now.
    pub fn open(path: &Path) -> Result<Database, OpenError> {
        let path = connect::real_path(path)?;
        let writer = connect::writer(&path, MIGRATIONS)?;
        let readers = (0..READERS).map(|_| connect::reader(&path).map(Mutex::new));
        Ok(Database::over(writer, readers.collect::<Result<_, _>>()?)?)
    }

    /// A database that lives as long as its handles do: for a server whose disk cannot be written.
    ///
    /// # Panics
    ///
    /// When there is no memory for an empty database.
    pub fn in_memory() -> Database {
        let connection = connect::in_memory().expect("an empty database needs nothing but a little memory");
        Database::over(connection, Vec::new()).expect("temporary triggers need nothing but a little memory")
    }

    fn over(writer: Connection, readers: Vec<Mutex<Connection>>) -> rusqlite::Result<Database> {
        // With their triggers, statements take longer to prepare than to run: all of ours stay prepared.
        writer.set_prepared_statement_cache_capacity(STATEMENTS);
        let changes = Changes::of(&writer)?;
        let (writer, next_reader) = (Mutex::new(writer), AtomicUsize::new(0));
        let listener = OnceLock::new();
        Ok(Database(Arc::new(Inner { writer, readers, next_reader, changes, listener })))
    }

    /// One owner's things.
    pub fn of(&self, owner: OwnerId) -> Store {
        Store::new(self.clone(), owner)
    }

    /// Has `listener` told whose repositories, worktrees, tasks, sessions and workers each transaction changed, from now
    /// on: those that came, those that went, and those that look different. It is told after the commit, once for each
    /// transaction, and not at all when nothing changed.
    ///
    /// # Panics
    ///
    /// When the database has a listener already.
    pub fn on_change(&self, listener: impl Fn(OwnerId, &[Object]) + Send + Sync + 'static) {
        assert!(self.0.listener.set(Box::new(listener)).is_ok(), "the database has a listener already");
    }

    /// Runs `work` on one state of the database.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.reader();
        let tx = connection.transaction()?;
        work(&tx)
    }

    /// Runs `work` as the only one that writes. What it did stays if it ends well, and else nothing of it.
    pub(crate) fn write<T>(
        &self,
        owner: OwnerId,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = lock(&self.0.writer);
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        let changed = self.0.changes.take(&tx)?;
        tx.commit()?;
        drop(connection);
        if let Some(listener) = self.0.listener.get().filter(|_| !changed.is_empty()) {
            listener(owner, &changed);
        }
        Ok(done)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        if let Some(free) = self.0.readers.iter().find_map(|reader| match reader.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }) {
            return free;
        }
        let turn = self.0.next_reader.fetch_add(1, Ordering::Relaxed);
        let any = turn.checked_rem(self.0.readers.len()).map_or(&self.0.writer, |turn| &self.0.readers[turn]);
        lock(any)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("readers", &self.0.readers.len()).finish_non_exhaustive()
    }
}

/// A transaction that a panic cut short was rolled back as it unwound, and the connection is as good as before.
fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::error::Trouble;
    use crate::transaction::Tx;

    #[test]
    fn d7_a_database_that_may_not_grow_is_read_and_is_written_again_when_it_may() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("abide.db")).unwrap();
        let store = database.of(OwnerId::ONLY);
        let may_have = |pages: i64| {
            lock(&database.0.writer)
                .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
                .unwrap();
        };
        let name = "x".repeat(50_000);
        let add = |path: &str| store.add_repository(path.as_ref(), &name, Timestamp::UNIX_EPOCH);
        add("/first").unwrap();
        may_have(1);
        assert_eq!(add("/second"), Err(StoreError::Unavailable { reason: Trouble::Full }));
        assert_eq!(store.repositories().unwrap().len(), 1);
        may_have(i64::from(u32::MAX - 1));
        add("/second").unwrap();
        store.check().unwrap();
    }

    #[test]
    fn a_panic_in_a_transaction_changes_nothing_and_blocks_no_later_one() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("abide.db")).unwrap();
        let store = database.of(OwnerId::ONLY);
        for _ in 0..=READERS {
            let panics = |tx: &Tx<'_>| -> Result<(), StoreError> {
                let sql = "INSERT INTO audit (at, actor, action, object, owner) VALUES ('', '', '', '', '')";
                let _ = tx.execute(sql, []);
                panic!("on purpose");
            };
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| store.write(panics)));
            assert!(caught.is_err());
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| store.read(panics)));
            assert!(caught.is_err());
        }
        assert_eq!(store.audit(None, 1), Ok(Vec::new()));
        store.add_repository("/code".as_ref(), "code", Timestamp::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn more_readers_than_connections_wait_for_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("abide.db")).unwrap();
        let store = database.of(OwnerId::ONLY);
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(store.repositories(), Ok(Vec::new()))));
            }
        });
    }
}
