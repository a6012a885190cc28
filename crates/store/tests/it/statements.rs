//! Every statement in the sources names the owner of each table that it reads or writes.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::support::{open, place};

/// The tables, whose rows have an owner.
const OWNED: [&str; 11] = [
    "audit",
    "consents",
    "inbox",
    "prompts",
    "repositories",
    "session_logs",
    "sessions",
    "tasks",
    "tokens",
    "workers",
    "worktrees",
];

/// Statements that are about the rows of all owners: file, a part of the statement, and why.
const EXCEPTIONS: [(&str, &str, &str); 8] = [
    ("columns.rs", "EXISTS (SELECT 1 FROM {table} WHERE id = ?1)", "an id is unique among all owners"),
    ("object.rs", "SELECT 1 FROM {} WHERE id = ?1", "an id is unique among all owners"),
    ("tokens.rs", "SELECT * FROM tokens WHERE id = ?1", "the token tells who the owner is"),
    ("changes.rs", "was IS NOT (SELECT {is} FROM main.{table}", "compares a row with what it was"),
    ("changes.rs", "_inserted AFTER INSERT ON main.{table}", "triggers see every row that is written"),
    ("changes.rs", "worker_came BEFORE INSERT ON main.workers", "triggers see every row that is written"),
    (
        "changes.rs",
        "FROM main.sessions WHERE sessions.id = {session}",
        "the session of a row that is written",
    ),
    ("changes.rs", "FROM main.workers\n", "the workers of a session that is written"),
];

/// The string literals of a source file, without those of comments and of tests.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let (mut literals, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, below)| below);
        } else if let Some(behind) = rest.strip_prefix("'\"'") {
            rest = behind;
        } else if let Some(text) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = text.find(|letter| {
                let is_end = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                is_end
            });
            let end = end.expect("a string ends");
            literals.push(text[..end].to_owned());
            rest = &text[end + 1..];
        } else {
            rest = &rest[1..];
        }
    }
    literals
}

fn words(text: &str) -> Vec<&str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).collect()
}

/// The tables that a piece of SQL names. One that is put in later is called `{`.
fn tables(sql: &str) -> Vec<&str> {
    let words = words(sql);
    let is_sql =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "FROM", "JOIN"].iter().any(|verb| words.contains(verb));
    if !is_sql {
        return Vec::new();
    }
    let mut tables: Vec<&str> = OWNED.into_iter().filter(|table| words.contains(table)).collect();
    let put_in = ["FROM {", "FROM main.{", "JOIN {", "INTO {", "UPDATE {", "ON main.{"];
    if put_in.iter().any(|table| sql.contains(table)) {
        tables.push("{");
    }
    tables
}

/// Whether a statement names the owner of each of these tables.
fn names_owners(sql: &str, tables: &[&str]) -> bool {
    if sql.trim_start().starts_with("INSERT") {
        let columns = sql.split_once('(').and_then(|(_, behind)| behind.split_once(')'));
        return columns.is_some_and(|(columns, _)| words(columns).contains(&"owner"));
    }
    // What an UPDATE sets does not choose its rows.
    let chooses = match sql.trim_start().starts_with("UPDATE") {
        true => sql.split_once("WHERE").map_or("", |(_, chooses)| chooses),
        false => sql,
    };
    match tables {
        [_] => chooses.contains("owner = ?"),
        several => several.iter().all(|table| chooses.contains(&format!("{table}.owner = ?"))),
    }
}

/// The statements of a file that name a table and not its owner.
fn without_owner(source: &str) -> Vec<String> {
    let lacks_owner = |sql: &String| {
        let tables = tables(sql);
        !tables.is_empty() && !names_owners(sql, &tables)
    };
    literals(source).into_iter().filter(lacks_owner).collect()
}

fn sources(dir: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            sources.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    sources
}

#[test]
fn every_table_has_an_owner() {
    let (_dir, path) = place();
    drop(open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut tables = connection.prepare(sql).unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(tables, OWNED);
    for table in tables {
        connection.prepare(&format!("SELECT owner FROM {table}")).unwrap();
    }
}

#[test]
fn every_statement_names_the_owner() {
    let (mut found, mut excused) = (Vec::new(), Vec::new());
    for (file, source) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for sql in without_owner(&source) {
            let excuses = |(of, part, _): &(&str, &str, &str)| *of == file && sql.contains(part);
            match EXCEPTIONS.iter().position(excuses) {
                Some(exception) => excused.push(exception),
                None => found.push(format!("{file}: {sql}")),
            }
        }
    }
    assert!(found.is_empty(), "statements without an owner:\n{}", found.join("\n"));
    excused.sort_unstable();
    assert!(excused.iter().copied().eq(0..EXCEPTIONS.len()), "each exception is one statement: {excused:?}");
}

#[test]
fn a_statement_without_its_owner_is_found() {
    let source = r#"
        // a comment with "SELECT * FROM tasks"
        let quote = '"';
        let right = ["SELECT * FROM tasks WHERE id = ?1 AND owner = ?2", "UPDATE {table} SET a = 1 WHERE owner = ?1"];
        let joined = "SELECT * FROM tasks JOIN repositories ON repositories.id = tasks.repository_id
                      WHERE tasks.owner = ?1 AND repositories.owner = ?1";
        let added = "INSERT INTO tokens (id, owner) VALUES (?1, ?2)";
        let prose = "there are tasks and \"sessions\"";
        let wrong = ["SELECT * FROM tasks", "UPDATE tasks SET owner = ?1 WHERE id = ?2", "DELETE FROM {table}"];
        let half = "SELECT * FROM tasks JOIN sessions WHERE tasks.owner = ?1";
        let unowned = "INSERT INTO tokens (id) VALUES (?1)";
        #[cfg(test)]
        let test = "SELECT * FROM tasks";
    "#;
    let found = without_owner(source);
    let expected = [
        "SELECT * FROM tasks",
        "UPDATE tasks SET owner = ?1 WHERE id = ?2",
        "DELETE FROM {table}",
        "SELECT * FROM tasks JOIN sessions WHERE tasks.owner = ?1",
        "INSERT INTO tokens (id) VALUES (?1)",
    ];
    assert_eq!(found, expected);
}
