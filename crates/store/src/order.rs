//! Lists that a person puts in order: tasks of a repository, workers of a session.

use crate::error::StoreError;
use crate::transaction::Tx;

/// Gives rows the positions 0, 1, 2 and so on, in the order of `ids`, which are all there are in their list.
pub(crate) fn put_in_order<Id: ToString>(
    tx: &Tx<'_>,
    table: &'static str,
    ids: &[Id],
) -> Result<(), StoreError> {
    // No two may have the same position, not even for a moment: first they all step aside.
    let sql = format!("UPDATE {table} SET position = -1 - position WHERE id = ?1 AND owner = ?2");
    let mut step_aside = tx.prepare_cached(&sql)?;
    for id in ids {
        step_aside.execute([&id.to_string(), tx.owner()])?;
    }
    let sql = format!("UPDATE {table} SET position = ?2 WHERE id = ?1 AND owner = ?3");
    let mut take = tx.prepare_cached(&sql)?;
    for (position, id) in ids.iter().enumerate() {
        take.execute((id.to_string(), position as i64, tx.owner()))?;
    }
    Ok(())
}
