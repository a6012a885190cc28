-- What waits for a person. A worker waits for one thing at a time.

CREATE TABLE inbox (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
    worker_id     TEXT NOT NULL UNIQUE REFERENCES workers (id) ON DELETE CASCADE,
    reason        TEXT NOT NULL CHECK (reason IN ('asking', 'finished', 'failed', 'limit', 'lost')),
    -- Which question or which turn it is: what is entered already is not entered again.
    mark          TEXT NOT NULL,
    words         TEXT,
    since         TEXT NOT NULL,
    read_at       TEXT,
    snoozed_until TEXT
) STRICT;
