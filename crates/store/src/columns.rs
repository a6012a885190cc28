//! The form of values in columns.
//!
//! Words (ids, states, times) are TEXT, lists are JSON, paths are BLOBs: a path is bytes, and not always text.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Type, ValueRef};
use serde::Serialize;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::error::StoreError;
use crate::transaction::Tx;

/// Reads the columns of a row by their names.
pub(crate) trait Columns {
    /// A value that is one word: an id, a state, a time.
    fn word<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T>;
    /// Such a value, or nothing.
    fn word_or_null<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<Option<T>>;
    /// A path.
    fn path(&self, column: &str) -> rusqlite::Result<PathBuf>;
    /// A path, or nothing.
    fn path_or_null(&self, column: &str) -> rusqlite::Result<Option<PathBuf>>;
    /// A value that is JSON.
    fn json<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T>;
}

impl Columns for Row<'_> {
    fn word<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T> {
        self.get(column).map(|Word(value)| value)
    }

    fn word_or_null<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<Option<T>> {
        self.get::<_, Option<Word<T>>>(column).map(|word| word.map(|Word(value)| value))
    }

    fn path(&self, column: &str) -> rusqlite::Result<PathBuf> {
        self.get::<_, Vec<u8>>(column).map(path)
    }

    fn path_or_null(&self, column: &str) -> rusqlite::Result<Option<PathBuf>> {
        self.get::<_, Option<Vec<u8>>>(column).map(|bytes| bytes.map(path))
    }

    fn json<T: DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T> {
        self.get(column).map(|Json(value)| value)
    }
}

fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

struct Word<T>(T);

impl<T: DeserializeOwned> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Word<T>> {
        let text: StrDeserializer<'_, ValueError> = value.as_str()?.into_deserializer();
        T::deserialize(text).map(Word).map_err(FromSqlError::other)
    }
}

struct Json<T>(T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json<T>> {
        serde_json::from_str(value.as_str()?).map(Json).map_err(FromSqlError::other)
    }
}

/// A time as it stands in its column: RFC 3339 with all digits, so that the order of texts is that of times.
pub(crate) fn stamp(time: Timestamp) -> String {
    format!("{time:.9}")
}

/// A path as it stands in its column.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// A value as JSON, as it stands in its column.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("lists of text and plain enums have no part that JSON lacks")
}

/// A list of our own words, as SQL.
pub(crate) fn any_of(words: &[&'static str]) -> String {
    words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ")
}

/// The error for a column that holds an unknown word.
pub(crate) fn unknown_word(column: &str, word: &str) -> rusqlite::Error {
    let why = format!("`{word}` is no {column}");
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into())
}

/// An id that no row of `table` has.
pub(crate) fn fresh_id<Id: ToString>(
    tx: &Tx<'_>,
    table: &'static str,
    from_random: fn([u8; 8]) -> Id,
) -> Result<Id, StoreError> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?1)");
    loop {
        // SQLite seeds its generator from the system's.
        let random = tx.prepare_cached("SELECT randomblob(8)")?.query_row([], |row| row.get(0))?;
        let id = from_random(random);
        let is_taken: bool = tx.prepare_cached(&sql)?.query_row([id.to_string()], |row| row.get(0))?;
        if !is_taken {
            return Ok(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_stamps_is_the_order_of_times() {
        let times = ["2025-01-01T00:00:00Z", "2025-01-01T00:00:00.5Z", "2025-01-01T00:00:01Z"];
        let stamps = times.map(|time| stamp(time.parse().expect("a time")));
        assert!(stamps.is_sorted(), "{stamps:?}");
    }
}
