-- Prompts that are sent to workers: a queue for each worker, with what became of each prompt.

CREATE TABLE prompts (
    id         TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL,
    worker_id  TEXT NOT NULL REFERENCES workers (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    -- By this the sender recognises it when it sends it again.
    key        TEXT,
    text       TEXT NOT NULL,
    -- The text that it was sent with, if it was edited since.
    sent_text  TEXT,
    when_idle  INTEGER NOT NULL,
    sender     TEXT NOT NULL,
    token_id   TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'pasting', 'pasted', 'submitting', 'submitted', 'started',
                                              'failed', 'cancelled', 'unknown')),
    -- Whether the agent worked when it was pasted.
    busy       INTEGER NOT NULL DEFAULT 0,
    reason     TEXT,
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    UNIQUE (worker_id, key)
) STRICT;
