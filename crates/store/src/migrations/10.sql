-- An agent that neither works nor asks for long is stuck, and waits for a person.

CREATE TABLE inbox_with_stuck (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
    worker_id     TEXT NOT NULL UNIQUE REFERENCES workers (id) ON DELETE CASCADE,
    reason        TEXT NOT NULL CHECK (reason IN ('asking', 'finished', 'failed', 'limit', 'lost', 'stuck')),
    -- Which question or which turn it is: what is entered already is not entered again.
    mark          TEXT NOT NULL,
    words         TEXT,
    since         TEXT NOT NULL,
    read_at       TEXT,
    snoozed_until TEXT,
    -- When a person was told of it outside of abide.
    told_at       TEXT
) STRICT;

INSERT INTO inbox_with_stuck SELECT * FROM inbox;

DROP TABLE inbox;

ALTER TABLE inbox_with_stuck RENAME TO inbox;
