-- A token may belong to a device: a browser with a key of its own. Then a public key is kept in place of the hash of a
-- secret, with the `host:port` at which the device signed in.

CREATE TABLE new_tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    owner        TEXT NOT NULL,
    name         TEXT NOT NULL,
    hash         BLOB CHECK (length(hash) = 32),
    scope        TEXT NOT NULL CHECK (scope IN ('all', 'worker')),
    worker_id    TEXT REFERENCES workers (id) ON DELETE CASCADE,
    drive        INTEGER CHECK (drive IN (0, 1)),
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT,
    revoked_at   TEXT,
    device_key   BLOB CHECK (length(device_key) = 65),
    authority    TEXT,
    CHECK ((hash IS NULL) = (device_key IS NOT NULL)),
    CHECK ((device_key IS NULL) = (authority IS NULL)),
    CHECK ((scope = 'worker') = (worker_id IS NOT NULL)),
    CHECK ((scope = 'worker') = (drive IS NOT NULL))
) STRICT;
INSERT INTO new_tokens (id, owner, name, hash, scope, worker_id, drive, created_at, expires_at, last_used_at,
                        revoked_at)
SELECT id, owner, name, hash, scope, worker_id, drive, created_at, expires_at, last_used_at, revoked_at
FROM tokens ORDER BY rowid;
DROP TABLE tokens;
ALTER TABLE new_tokens RENAME TO tokens;
CREATE INDEX tokens_by_worker ON tokens (worker_id);
