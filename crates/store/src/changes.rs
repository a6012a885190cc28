//! Which things a transaction changed. Triggers notice it, so no query has to say so and none can forget it.
//!
//! The connection that writes has a temporary table `touched`: every thing that a transaction wrote to, with its content
//! before the first write. Before the transaction is committed, the things are read that have another content now. So a
//! row that is written without a change, or changed and changed back, is not told.

use rusqlite::{Connection, Row};

use crate::columns::Columns;
use crate::object::Object;

/// The kinds of things whose changes are told, and their tables.
const KINDS: [(&str, &str); 7] = [
    ("repository", "repositories"),
    ("worktree", "worktrees"),
    ("task", "tasks"),
    ("session", "sessions"),
    ("worker", "workers"),
    ("inbox", "inbox"),
    ("prompt", "prompts"),
];

/// Notices the changes that are made over one connection.
#[derive(Debug)]
pub(crate) struct Changes {
    /// For each kind, the query for the things that have changed.
    queries: Vec<String>,
}

impl Changes {
    /// Begins to notice changes.
    pub(crate) fn of(connection: &Connection) -> rusqlite::Result<Changes> {
        notice(connection)?;
        let query = |(kind, table): (&str, &str)| {
            let is = content(connection, table, table)?;
            Ok(format!(
                "SELECT kind, id FROM touched WHERE kind = '{kind}'
                 AND was IS NOT (SELECT {is} FROM main.{table} WHERE {table}.id = touched.id) ORDER BY id"
            ))
        };
        Ok(Changes { queries: KINDS.into_iter().map(query).collect::<rusqlite::Result<_>>()? })
    }

    /// The things that the transaction in progress has changed.
    pub(crate) fn take(&self, connection: &Connection) -> rusqlite::Result<Vec<Object>> {
        let mut changed = Vec::new();
        if connection.prepare_cached("SELECT 1 FROM touched")?.exists([])? {
            for query in &self.queries {
                for object in connection.prepare_cached(query)?.query_map([], from_row)? {
                    changed.push(object?);
                }
            }
            connection.prepare_cached("DELETE FROM touched")?.execute([])?;
        }
        Ok(changed)
    }
}

fn notice(connection: &Connection) -> rusqlite::Result<()> {
    // A full disk must not stand in the way of a transaction that itself needs no room.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.execute_batch(
        "CREATE TEMP TABLE touched (kind TEXT NOT NULL, id TEXT NOT NULL, was TEXT, PRIMARY KEY (kind, id))
         WITHOUT ROWID;",
    )?;
    for (kind, table) in KINDS {
        let was = content(connection, table, "OLD")?;
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER {table}_inserted AFTER INSERT ON main.{table} BEGIN {inserted} END;
             CREATE TEMP TRIGGER {table}_updated BEFORE UPDATE ON main.{table} BEGIN {changed} END;
             CREATE TEMP TRIGGER {table}_deleted BEFORE DELETE ON main.{table} BEGIN {changed} END;",
            inserted = touch(kind, "NEW.id", "NULL", ""),
            changed = touch(kind, "OLD.id", &was, ""),
        ))?;
    }
    // The order of a session's workers is part of the session.
    let was = content(connection, "sessions", "sessions")?;
    let touched_through = |row: &str| {
        let session = format!("{row}.session_id");
        touch("session", &session, &was, &format!("FROM main.sessions WHERE sessions.id = {session}"))
    };
    connection.execute_batch(&format!(
        "CREATE TEMP TRIGGER worker_came BEFORE INSERT ON main.workers BEGIN {came} END;
         CREATE TEMP TRIGGER worker_moved BEFORE UPDATE ON main.workers BEGIN {moved} END;
         CREATE TEMP TRIGGER worker_went BEFORE DELETE ON main.workers BEGIN {moved} END;",
        came = touched_through("NEW"),
        moved = touched_through("OLD"),
    ))
}

/// Keeps the content that a thing had before it was first written to.
fn touch(kind: &str, id: &str, was: &str, from: &str) -> String {
    let is_first = format!("NOT EXISTS (SELECT 1 FROM touched WHERE kind = '{kind}' AND id = {id})");
    let and = if from.is_empty() { "WHERE" } else { "AND" };
    format!("INSERT INTO touched SELECT '{kind}', {id}, {was} {from} {and} {is_first};")
}

/// Everything in a row, as one text.
fn content(connection: &Connection, table: &str, row: &str) -> rusqlite::Result<String> {
    let mut columns = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let quoted = |column: &Row<'_>| Ok(format!("quote({row}.{})", column.get::<_, String>(0)?));
    let mut parts: Vec<String> = columns.query_map([table], quoted)?.collect::<rusqlite::Result<_>>()?;
    if table == "sessions" {
        parts.push(format!(
            "(SELECT quote(group_concat(workers.id, ' ' ORDER BY workers.position)) FROM main.workers
              WHERE workers.session_id = {row}.id)"
        ));
    }
    Ok(parts.join(" || ',' || "))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Object> {
    Ok(match row.get_ref("kind")?.as_str()? {
        "repository" => Object::Repository(row.word("id")?),
        "worktree" => Object::Worktree(row.word("id")?),
        "task" => Object::Task(row.word("id")?),
        "session" => Object::Session(row.word("id")?),
        "inbox" => Object::InboxItem(row.word("id")?),
        "prompt" => Object::Prompt(row.word("id")?),
        _ => Object::Worker(row.word("id")?),
    })
}
