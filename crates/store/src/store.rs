//! The database as a whole: one connection that writes, a few that read.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::connect;
use crate::error::StoreError;
use crate::migrate::MIGRATIONS;
use crate::open_error::OpenError;

/// How many calls can read at the same time. Reads take far less than a millisecond, so that few suffice.
const READERS: usize = 4;

/// One database. Shared between threads by reference.
///
/// A process opens a database once: of two stores on one file, writes of one may find it locked by the other.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    /// Empty for a database in memory, which only one connection can see.
    readers: Vec<Mutex<Connection>>,
    /// Who waits next, when all readers are taken.
    next_reader: AtomicUsize,
}

impl Store {
    /// Opens the database at `path`, makes it if it is not there, and brings it up to date. Before an older one is
    /// changed it is copied to `<path>.before-<version>`. The directory must be there.
    ///
    /// # Errors
    ///
    /// When it is newer than this program, damaged, or cannot be used now.
    pub fn open(path: &Path) -> Result<Store, OpenError> {
        let path = connect::real_path(path)?;
        let writer = connect::writer(&path, MIGRATIONS)?;
        let readers = (0..READERS).map(|_| connect::reader(&path).map(Mutex::new));
        Ok(Store::of(writer, readers.collect::<Result<_, _>>()?))
    }

    /// A database that lives as long as the store does: for a server whose disk cannot be written.
    ///
    /// # Panics
    ///
    /// When there is no memory for an empty database.
    pub fn in_memory() -> Store {
        let connection = connect::in_memory().expect("an empty database needs nothing but a little memory");
        Store::of(connection, Vec::new())
    }

    fn of(writer: Connection, readers: Vec<Mutex<Connection>>) -> Store {
        Store { writer: Mutex::new(writer), readers, next_reader: AtomicUsize::new(0) }
    }

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
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.reader();
        let tx = connection.transaction()?;
        work(&tx)
    }

    /// Runs `work` as the only one that writes. What it did stays if it ends well, and else nothing of it.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = lock(&self.writer);
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        tx.commit()?;
        Ok(done)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        if let Some(free) = self.readers.iter().find_map(|reader| match reader.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }) {
            return free;
        }
        let turn = self.next_reader.fetch_add(1, Ordering::Relaxed);
        let any = turn.checked_rem(self.readers.len()).map_or(&self.writer, |turn| &self.readers[turn]);
        lock(any)
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

    #[test]
    fn d7_a_database_that_may_not_grow_is_read_and_is_written_again_when_it_may() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("abide.db")).unwrap();
        let may_have = |pages: i64| {
            lock(&store.writer)
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
    fn a_panic_in_the_middle_leaves_nothing_and_stops_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("abide.db")).unwrap();
        for _ in 0..=READERS {
            let panics = |tx: &Transaction<'_>| -> Result<(), StoreError> {
                let _ =
                    tx.execute("INSERT INTO audit (at, actor, action, object) VALUES ('', '', '', '')", []);
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
        let store = Store::open(&dir.path().join("abide.db")).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(store.repositories(), Ok(Vec::new()))));
            }
        });
    }
}
