//! Lists that a person puts in order: tasks of a repository, workers of a session.

use rusqlite::Connection;

use crate::error::StoreError;

/// Gives rows the positions 0, 1, 2 and so on, in the order of `ids`, which are all there are in their list.
pub(crate) fn put_in_order<Id: ToString>(
    connection: &Connection,
    table: &'static str,
    ids: &[Id],
) -> Result<(), StoreError> {
    // No two may have the same position, not even for a moment: first they all step aside.
    let mut step_aside =
        connection.prepare_cached(&format!("UPDATE {table} SET position = -1 - position WHERE id = ?1"))?;
    for id in ids {
        step_aside.execute([id.to_string()])?;
    }
    let mut take = connection.prepare_cached(&format!("UPDATE {table} SET position = ?2 WHERE id = ?1"))?;
    for (position, id) in ids.iter().enumerate() {
        take.execute((id.to_string(), position as i64))?;
    }
    Ok(())
}
