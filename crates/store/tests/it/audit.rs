use std::path::Path;

use rusqlite::Connection;
use store::{AuditEntry, MOST_AUDIT_ENTRIES, NewAuditEntry};

use crate::support::{at, in_memory, open, place};

const TYPED: NewAuditEntry<'_> =
    NewAuditEntry { actor: "token k7f2", action: "attached", object: "worker 0z0z789a", detail: None };

#[test]
fn s42_the_audit_trail_lists_the_newest_first() {
    let store = in_memory();
    let detail = Some("read-only");
    let first = store.add_audit_entry(NewAuditEntry { detail, ..TYPED }, at(1)).unwrap();
    let second = store.add_audit_entry(TYPED, at(2)).unwrap();
    let entry = |seq, seconds, detail: Option<&str>| AuditEntry {
        seq,
        at: at(seconds),
        actor: TYPED.actor.to_owned(),
        action: TYPED.action.to_owned(),
        object: TYPED.object.to_owned(),
        detail: detail.map(str::to_owned),
    };
    let (first, second) = (entry(first, 1, detail), entry(second, 2, None));
    assert!(first.seq < second.seq);
    assert_eq!(store.audit(None, 10), Ok(vec![second.clone(), first.clone()]));
    assert_eq!(store.audit(None, 1), Ok(vec![second.clone()]));
    assert_eq!(store.audit(Some(second.seq), 10), Ok(vec![first.clone()]));
    assert_eq!(store.audit(Some(first.seq), 10), Ok(Vec::new()));
}

/// Writes entries as the store does, many in one step.
fn fill(path: &Path, count: i64) {
    let sql = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
               INSERT INTO audit (at, actor, action, object, owner)
               SELECT '2025-03-01T12:00:00.000000000Z', 'me', 'filled', 'it', '00000000' FROM numbers";
    Connection::open(path).unwrap().execute(sql, [count]).unwrap();
}

#[test]
fn the_record_is_bounded() {
    let (_dir, path) = place();
    let store = open(&path).unwrap();
    fill(&path, MOST_AUDIT_ENTRIES);
    let newest = store.add_audit_entry(TYPED, at(1)).unwrap();
    let all = store.audit(None, usize::MAX).unwrap();
    assert_eq!(all.len(), 100_000);
    assert_eq!((all[0].seq, all[0].action.as_str()), (newest, "attached"));
    assert_eq!(all[all.len() - 1].seq, newest - MOST_AUDIT_ENTRIES + 1);
}
