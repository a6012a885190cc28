-- The first shape. Every thing has an owner, who is `me` as long as there is one user. Paths are bytes.

CREATE TABLE repositories (
    id         TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL DEFAULT 'me',
    path       BLOB NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- Trashed worktrees and closed sessions go on referring to a repository that was removed.
    removed_at TEXT
) STRICT;

CREATE TABLE worktrees (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL DEFAULT 'me',
    repository_id TEXT NOT NULL REFERENCES repositories (id),
    path          BLOB NOT NULL,
    branch        TEXT NOT NULL,
    base_commit   TEXT,
    made_by_abide INTEGER NOT NULL CHECK (made_by_abide IN (0, 1)),
    place         TEXT NOT NULL CHECK (place IN ('making', 'ready', 'missing', 'kept', 'trashed', 'gone')),
    place_at      TEXT,
    kept_reason   TEXT,
    trash_path    BLOB,
    trash_head    TEXT,
    trash_branch  TEXT,
    created_at    TEXT NOT NULL,
    CHECK ((place IN ('missing', 'trashed', 'gone')) = (place_at IS NOT NULL)),
    CHECK ((place = 'kept') = (kept_reason IS NOT NULL)),
    CHECK ((place = 'trashed') = (trash_path IS NOT NULL)),
    CHECK (place = 'trashed' OR (trash_head IS NULL AND trash_branch IS NULL))
) STRICT;

CREATE UNIQUE INDEX worktrees_by_path ON worktrees (path) WHERE place NOT IN ('trashed', 'gone');
CREATE INDEX worktrees_by_repository ON worktrees (repository_id);

CREATE TABLE tasks (
    id                 TEXT NOT NULL PRIMARY KEY,
    owner              TEXT NOT NULL DEFAULT 'me',
    repository_id      TEXT NOT NULL REFERENCES repositories (id),
    title              TEXT NOT NULL,
    description        TEXT,
    pinned             INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    state              TEXT NOT NULL CHECK (state IN ('backlog', 'active', 'done')),
    agent              TEXT,
    -- At most one session for a task, and a session for at most one task.
    session_id         TEXT UNIQUE REFERENCES sessions (id),
    session_started_at TEXT,
    position           INTEGER NOT NULL,
    created_at         TEXT NOT NULL,
    UNIQUE (repository_id, position),
    CHECK ((session_id IS NULL) = (session_started_at IS NULL)),
    CHECK (session_id IS NULL OR state = 'active')
) STRICT;

CREATE TABLE sessions (
    id          TEXT NOT NULL PRIMARY KEY,
    owner       TEXT NOT NULL DEFAULT 'me',
    kind        TEXT NOT NULL CHECK (kind IN ('quick', 'worktree')),
    worktree_id TEXT REFERENCES worktrees (id),
    location    BLOB NOT NULL,
    -- The task that it was begun for. It stays when the task has another session.
    task_id     TEXT REFERENCES tasks (id) ON DELETE SET NULL,
    title       TEXT,
    notices     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(notices) = 'array'),
    created_at  TEXT NOT NULL,
    closed_at   TEXT,
    CHECK ((kind = 'worktree') = (worktree_id IS NOT NULL))
) STRICT;

CREATE INDEX sessions_by_worktree ON sessions (worktree_id);
CREATE INDEX sessions_by_task ON sessions (task_id);

CREATE TABLE workers (
    id         TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL DEFAULT 'me',
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- Not checked: further kinds need no other shape. What belongs to a kind is in `data`.
    kind       TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_type(data) = 'object'),
    name       TEXT NOT NULL,
    command    TEXT NOT NULL CHECK (json_type(command) = 'array'),
    life       TEXT NOT NULL
               CHECK (life IN ('pending', 'provisioning', 'live', 'paused', 'exited', 'failed', 'lost')),
    exit_kind  TEXT CHECK (exit_kind IN ('exited', 'killed', 'unknown')),
    exit_value INTEGER CHECK (exit_value BETWEEN 0 AND 255),
    reason     TEXT,
    activity   TEXT NOT NULL CHECK (activity IN ('unknown', 'active', 'idle', 'asking')),
    position   INTEGER NOT NULL,
    is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
    created_at TEXT NOT NULL,
    started_at TEXT,
    ended_at   TEXT,
    UNIQUE (session_id, position),
    CHECK ((life = 'exited') = (exit_kind IS NOT NULL)),
    CHECK ((exit_kind IS NOT NULL AND exit_kind <> 'unknown') = (exit_value IS NOT NULL)),
    CHECK ((life IN ('failed', 'lost')) = (reason IS NOT NULL)),
    CHECK ((life IN ('paused', 'exited', 'failed', 'lost')) = (ended_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX workers_one_primary ON workers (session_id) WHERE is_primary;

CREATE TABLE session_logs (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL DEFAULT 'me',
    task_id       TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    session_id    TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    worker_id     TEXT REFERENCES workers (id) ON DELETE SET NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT NOT NULL,
    exit          TEXT NOT NULL CHECK (exit IN ('done', 'failed')),
    error         TEXT,
    kept_worktree BLOB
) STRICT;

CREATE INDEX session_logs_by_task ON session_logs (task_id);
CREATE INDEX session_logs_by_session ON session_logs (session_id);
CREATE INDEX session_logs_by_worker ON session_logs (worker_id);

CREATE TABLE tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    owner        TEXT NOT NULL DEFAULT 'me',
    name         TEXT NOT NULL,
    hash         BLOB NOT NULL CHECK (length(hash) = 32),
    scope        TEXT NOT NULL CHECK (scope IN ('all', 'worker')),
    worker_id    TEXT REFERENCES workers (id) ON DELETE CASCADE,
    drive        INTEGER CHECK (drive IN (0, 1)),
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT,
    revoked_at   TEXT,
    CHECK ((scope = 'worker') = (worker_id IS NOT NULL)),
    CHECK ((scope = 'worker') = (drive IS NOT NULL))
) STRICT;

CREATE INDEX tokens_by_worker ON tokens (worker_id);

CREATE TABLE audit (
    -- Numbers of entries that were dropped are not used again.
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    owner  TEXT NOT NULL DEFAULT 'me',
    at     TEXT NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT
) STRICT;

CREATE TABLE consents (
    repository_id TEXT NOT NULL REFERENCES repositories (id),
    owner         TEXT NOT NULL DEFAULT 'me',
    hash          BLOB NOT NULL CHECK (length(hash) = 32),
    given_at      TEXT NOT NULL,
    PRIMARY KEY (repository_id, hash)
) STRICT;
