use std::env;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use model::OwnerId;
use tempfile::TempDir;

use super::*;
use crate::database::Database;
use crate::sessions::SessionFilter;

const FIRST: Migration = "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                          INSERT INTO things VALUES (1, 'one'), (2, 'two');";
/// Makes a table anew, under one that refers to it.
const SECOND: Migration = "CREATE TABLE parts (thing INTEGER NOT NULL REFERENCES things (id)) STRICT;
                           INSERT INTO parts SELECT id FROM things;
                           CREATE TABLE new_things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER) STRICT;
                           INSERT INTO new_things SELECT id, name, 0 FROM things;
                           DROP TABLE things;
                           ALTER TABLE new_things RENAME TO things;";
/// Takes a while.
const THIRD: Migration =
    "WITH RECURSIVE numbers (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
                          INSERT INTO things SELECT n, 'number ' || n, n FROM numbers;
                          UPDATE things SET name = name || '!';";
const ALL: &[Migration] = &[FIRST, SECOND, THIRD];

/// Tells a second process which database to migrate.
const DATABASE: &str = "ABIDE_TEST_MIGRATE";

/// A database of the first version.
fn old() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    drop(connect::writer(&path, &ALL[..1]).unwrap());
    (dir, path)
}

/// The version of a sound database, and how many things are in it.
fn read(path: &Path) -> (u32, u32) {
    let connection = Connection::open(path).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok", "{}", path.display());
    let things = connection.query_row("SELECT count(*) FROM things", [], |row| row.get(0)).unwrap();
    (version(&connection).unwrap(), things)
}

fn backup(path: &Path, version: u32) -> PathBuf {
    file::beside(path, &format!(".before-{version}"))
}

/// A row in each table that version 3 does not have.
const FILLED_LATER: &str = "
    INSERT INTO inbox VALUES ('0000000i', 'ME', '0000000a', 'lost', '', NULL, '2025-03-01T12:00:00.000000000Z', NULL,
                              NULL, NULL);
    INSERT INTO prompts VALUES ('0000000p', 'ME', '0000000a', 1, 'key', 'text', 'first text', 1, 'a person', '0000000k',
                                'failed', 1, 'because', '2025-03-01T12:00:00.000000000Z',
                                '2025-03-01T12:00:00.000000000Z');";

/// At least one row in each table, with a value in each column that may have one, as of version 3. `ME` is its owner.
const FILLED: &str = "
    INSERT INTO repositories VALUES ('0000000r', 'ME', x'2f61', 'a', '2025-03-01T12:00:00.000000000Z',
                                     '2025-03-02T12:00:00.000000000Z'),
                                    ('0000000q', 'ME', x'2f62', 'b', '2025-03-01T12:00:00.000000000Z', NULL);
    INSERT INTO worktrees VALUES
        ('0000000w', 'ME', '0000000r', x'2f77', 'branch', 'c0ffee', 1, 'trashed', '2025-03-02T12:00:00.000000000Z',
         NULL, x'2f74', 'c0ffee', 'branch', '2025-03-01T12:00:00.000000000Z', 0),
        ('0000000v', 'ME', '0000000q', x'2f76', 'branch', NULL, 0, 'kept', NULL,
         'because', NULL, NULL, NULL, '2025-03-01T12:00:00.000000000Z', 1);
    INSERT INTO tasks VALUES ('0000000t', 'ME', '0000000q', 'title', 'description', 1, 'active', 'claude', '0000000s',
                              '2025-03-02T12:00:00.000000000Z', 0, '2025-03-01T12:00:00.000000000Z');
    INSERT INTO sessions VALUES ('0000000s', 'ME', 'worktree', '0000000v', x'2f76', '0000000t', 'title', '[\"one\"]',
                                 '2025-03-01T12:00:00.000000000Z', '2025-03-02T12:00:00.000000000Z', 'theirs');
    INSERT INTO workers VALUES
        ('0000000a', 'ME', '0000000s', 'agent', '{\"agent\":\"claude\"}', 'a', '[\"claude\"]', 'exited', 'killed', 9,
         NULL, 'idle', 0, 1, '2025-03-01T12:00:00.000000000Z', '2025-03-01T12:00:00.000000000Z',
         '2025-03-02T12:00:00.000000000Z', 1),
        ('0000000b', 'ME', '0000000s', 'terminal', '{}', 'b', '[\"sh\"]', 'lost', NULL, NULL, 'no host', 'unknown', 1, 0,
         '2025-03-01T12:00:00.000000000Z', NULL, '2025-03-02T12:00:00.000000000Z', 0);
    INSERT INTO session_logs VALUES
        ('0000000z', 'ME', '0000000t', '0000000s', '0000000a', '2025-03-01T12:00:00.000000000Z',
         '2025-03-02T12:00:00.000000000Z', 'failed', 'error', x'2f76'),
        ('0000000y', 'ME', '0000000t', NULL, NULL, '2025-03-01T12:00:00.000000000Z',
         '2025-03-02T12:00:00.000000000Z', 'done', NULL, NULL);
    INSERT INTO tokens (id, owner, name, hash, scope, worker_id, drive, created_at, expires_at, last_used_at, revoked_at)
                       VALUES ('0000000k', 'ME', 'name', zeroblob(32), 'worker', '0000000a', 1,
                               '2025-03-01T12:00:00.000000000Z', '2025-03-02T12:00:00.000000000Z',
                               '2025-03-03T12:00:00.000000000Z', '2025-03-04T12:00:00.000000000Z');
    INSERT INTO audit VALUES (7, 'ME', '2025-03-01T12:00:00.000000000Z', 'actor', 'action', 'object', 'detail');
    INSERT INTO consents VALUES ('0000000q', 'ME', zeroblob(32), '2025-03-01T12:00:00.000000000Z');";

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut query = connection.prepare(sql).unwrap();
    query.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

fn tables(connection: &Connection) -> Vec<String> {
    texts(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
}

/// Every row of every table, each in the order in which it was written, and whose it is.
fn rows(connection: &Connection) -> Vec<(String, Vec<String>)> {
    let rows_of = |table: String| {
        let columns = texts(connection, &format!("SELECT name FROM pragma_table_info('{table}')"));
        let named: Vec<_> = columns.iter().map(|name| format!("'{name}=' || quote({name})")).collect();
        let rows =
            texts(connection, &format!("SELECT {} FROM {table} ORDER BY rowid", named.join(" || ' ' || ")));
        (table, rows)
    };
    tables(connection).into_iter().map(rows_of).collect()
}

/// The columns, references, indices and checks of every table.
fn shape(connection: &Connection) -> Vec<String> {
    let shape_of = |table: String| {
        let parts = [
            "concat_ws(' ', name, type, \"notnull\", dflt_value, pk) FROM pragma_table_info('TABLE')",
            "concat_ws(' ', \"from\", \"table\", \"to\", on_delete) FROM pragma_foreign_key_list('TABLE') ORDER BY 1",
            "concat_ws(' ', \"unique\", origin, (SELECT group_concat(name) FROM pragma_index_info(list.name)), sql)
             FROM pragma_index_list('TABLE') AS list JOIN sqlite_schema ON sqlite_schema.name = list.name ORDER BY 1",
            "concat('strict ', strict) FROM pragma_table_list('TABLE')",
            "concat('checks ', (length(sql) - length(replace(sql, 'CHECK', ''))) / length('CHECK'))
             FROM sqlite_schema WHERE name = 'TABLE'",
        ];
        let lines =
            |part: &str| texts(connection, &format!("SELECT 'TABLE ' || {part}").replace("TABLE", &table));
        parts.iter().flat_map(|part| lines(part)).collect::<Vec<_>>()
    };
    tables(connection).into_iter().flat_map(shape_of).collect()
}

#[test]
fn rows_from_before_owners_had_ids_belong_to_the_only_owner() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    let before = connect::writer(&path, &MIGRATIONS[..3]).unwrap();
    // A task and its session refer to each other.
    before.pragma_update(None, "foreign_keys", false).unwrap();
    before.execute_batch(&FILLED.replace("ME", "me")).unwrap();
    let was = rows(&before);
    assert!(was.iter().all(|(table, rows)| !rows.is_empty() || panic!("nothing in {table}")));
    drop(before);
    let database = Database::open(&path).unwrap();
    let owned = |row: &String| row.replace("owner='me'", &format!("owner='{}'", OwnerId::ONLY));
    // Later migrations add columns at the end.
    let newer = |table: &str| if table == "tokens" { " device_key=NULL authority=NULL" } else { "" };
    let owned = |table: &str, row: &String| owned(row) + newer(table);
    let expected: Vec<_> = was
        .iter()
        .map(|(table, rows)| (table.clone(), rows.iter().map(|row| owned(table, row)).collect()))
        .collect();
    let mut now = rows(&Connection::open(&path).unwrap());
    let made_later = |table: &str| !was.iter().any(|(known, _)| known == table);
    now.retain(|(table, rows)| !(made_later(table) && rows.is_empty()));
    assert_eq!(now, expected);
    let (store, other) = (database.of(OwnerId::ONLY), database.of(OwnerId::from_random([7; 8])));
    store.check().unwrap();
    assert_eq!(store.sessions_with_workers(SessionFilter::All).unwrap()[0].workers.len(), 2);
    assert_eq!(store.repositories().unwrap().len(), 1);
    assert_eq!(other.sessions(SessionFilter::All).unwrap(), Vec::new());
    let entry = crate::NewAuditEntry { actor: "a", action: "b", object: "c", detail: None };
    assert_eq!(store.add_audit_entry(entry, jiff::Timestamp::UNIX_EPOCH), Ok(8), "numbers go on");
}

#[test]
fn migration_4_changes_nothing_but_owners_and_what_is_unique_for_one() {
    let in_version = |version: usize| {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, None, &MIGRATIONS[..version]).unwrap();
        shape(&connection)
    };
    let (before, after) = (in_version(3), in_version(4));
    let came: Vec<_> = after.iter().filter(|line| !before.contains(line)).cloned().collect();
    let went: Vec<_> = before.iter().filter(|line| !after.contains(line)).cloned().collect();
    let by_path = |columns: &str| {
        let sql = format!("CREATE UNIQUE INDEX worktrees_by_path ON worktrees ({columns})");
        format!("worktrees 1 c {} {sql} WHERE place NOT IN ('trashed', 'gone')", columns.replace(' ', ""))
    };
    assert_eq!(
        went,
        [
            "audit owner TEXT 1 'me' 0",
            "consents owner TEXT 1 'me' 0",
            "repositories owner TEXT 1 'me' 0",
            "repositories 1 u path",
            "session_logs owner TEXT 1 'me' 0",
            "sessions owner TEXT 1 'me' 0",
            "tasks owner TEXT 1 'me' 0",
            "tokens owner TEXT 1 'me' 0",
            "workers owner TEXT 1 'me' 0",
            "worktrees owner TEXT 1 'me' 0",
            &by_path("path"),
        ]
    );
    assert_eq!(
        came,
        [
            "audit owner TEXT 1 0",
            "audit 0 c owner,seq CREATE INDEX audit_by_owner ON audit (owner, seq)",
            "consents owner TEXT 1 0",
            "repositories owner TEXT 1 0",
            "repositories 1 u owner,path",
            "session_logs owner TEXT 1 0",
            "sessions owner TEXT 1 0",
            "tasks owner TEXT 1 0",
            "tokens owner TEXT 1 0",
            "workers owner TEXT 1 0",
            "worktrees owner TEXT 1 0",
            &by_path("owner, path"),
        ]
    );
}

#[test]
fn d6_a_token_from_before_devices_keeps_its_hash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    let before = connect::writer(&path, &MIGRATIONS[..4]).unwrap();
    let sql = "INSERT INTO tokens (id, owner, name, hash, scope, created_at)
               VALUES ('0000000k', '00000000', 'name', zeroblob(32), 'all', '2025-03-01T12:00:00.000000000Z')";
    before.execute(sql, []).unwrap();
    drop(before);
    let database = Database::open(&path).unwrap();
    let (token, verifier) = database.token_for_check("0000000k".parse().unwrap()).unwrap().unwrap();
    assert_eq!((token.is_device, verifier), (false, crate::Verifier::Hash([0; 32])));
}

#[test]
fn a_token_has_a_hash_or_a_device_and_not_both() {
    let connection = connect::in_memory().unwrap();
    let insert = |hash: &str, key: &str, authority: &str| {
        let sql = format!(
            "INSERT INTO tokens (id, owner, name, hash, device_key, authority, scope, created_at)
             VALUES (hex(randomblob(4)), '00000000', 'name', {hash}, {key}, {authority}, 'all', 'then')"
        );
        connection.execute(&sql, []).is_ok()
    };
    assert!(insert("zeroblob(32)", "NULL", "NULL") && insert("NULL", "zeroblob(65)", "'a'"));
    assert!(!insert("NULL", "NULL", "NULL") && !insert("zeroblob(32)", "zeroblob(65)", "'a'"));
    assert!(!insert("NULL", "zeroblob(65)", "NULL") && !insert("NULL", "zeroblob(33)", "'a'"));
}

#[test]
fn a_row_without_an_owner_is_refused() {
    let connection = connect::in_memory().unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let filled = [FILLED, FILLED_LATER].concat().replace("'ME'", "NULL");
    let inserts: Vec<_> = filled.split_inclusive(';').collect();
    assert_eq!(inserts.len(), tables(&connection).len());
    for insert in inserts {
        let refused = connection.execute(insert, []).unwrap_err().to_string();
        assert!(refused.ends_with(".owner"), "{refused}");
    }
    for table in tables(&connection) {
        let owner = format!("SELECT dflt_value FROM pragma_table_info('{table}') WHERE name = 'owner'");
        let default: Option<String> = connection.query_row(&owner, [], |row| row.get(0)).unwrap();
        assert_eq!(default, None, "{table}");
    }
}

#[test]
fn every_migration_of_ours_gives_a_sound_database() {
    let mut connection = Connection::open_in_memory().unwrap();
    for (migration, to) in MIGRATIONS.iter().zip(1..) {
        step(&mut connection, migration, to).unwrap();
    }
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn d11_an_older_database_is_copied_before_it_is_changed() {
    let (_dir, path) = old();
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&path), (3, 20_000));
    assert_eq!(read(&backup(&path, 3)), (1, 2));
    assert_eq!(fs::metadata(backup(&path, 3)).unwrap().mode() & 0o777, 0o600);
    assert!(!file::beside(&backup(&path, 3), ".new").exists());
}

#[test]
fn a_new_database_and_one_that_is_up_to_date_are_not_copied() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    for _ in 0..2 {
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
    assert_eq!(read(&path), (3, 20_000));
}

#[test]
fn d11_a_migration_that_fails_changes_nothing() {
    let broken = "DELETE FROM things; INSERT INTO nowhere VALUES (1);";
    let dangling = "DELETE FROM things WHERE id = 1;";
    for failing in [broken, dangling] {
        let (_dir, path) = old();
        connect::writer(&path, &[FIRST, SECOND, failing]).unwrap_err();
        assert_eq!(read(&path), (2, 2), "the steps before it were taken");
        assert_eq!(read(&backup(&path, 3)), (1, 2));
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(read(&path), (3, 20_000));
    }
}

#[test]
fn d11_a_database_is_copied_wherever_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"file:%20 '\xff?mode=ro"));
    fs::create_dir(&odd).unwrap();
    let path = odd.join("abide.db");
    drop(connect::writer(&path, &ALL[..1]).unwrap());
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&backup(&path, 3)), (1, 2));
}

#[test]
fn d11_a_copy_that_was_not_finished_is_made_again() {
    let (_dir, path) = old();
    fs::write(file::beside(&backup(&path, 3), ".new"), b"half a cop").unwrap();
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&backup(&path, 3)), (1, 2));
}

#[test]
fn d11_a_process_killed_at_any_instant_of_a_migration_leaves_the_old_or_the_new() {
    if let Some(path) = env::var_os(DATABASE).map(PathBuf::from) {
        drop(connect::writer(&path, ALL).unwrap());
        return;
    }
    let migrate = |path: &Path| {
        let test = thread::current().name().expect("the harness names a test's thread").to_owned();
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", &test, "--nocapture"]).env(DATABASE, path).stdout(std::process::Stdio::null());
        again.spawn().unwrap()
    };
    let (_dir, path) = old();
    let start = Instant::now();
    assert!(migrate(&path).wait().unwrap().success());
    let whole = start.elapsed();
    let mut versions = Vec::new();
    for part in 0..12 {
        let (_dir, path) = old();
        let mut migrating = migrate(&path);
        thread::sleep(whole * part / 12);
        migrating.kill().unwrap();
        migrating.wait().unwrap();
        let (version, things) = read(&path);
        assert_eq!(things, if version == 3 { 20_000 } else { 2 }, "version {version}");
        if version > 1 || backup(&path, 3).exists() {
            assert_eq!(read(&backup(&path, 3)), (1, 2));
        }
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(read(&path), (3, 20_000));
        versions.push(version);
    }
    println!("killed at versions {versions:?}");
}
