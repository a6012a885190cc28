-- Owners have ids. Until now the only one was called `me`, and has this id from now on. Every table is made anew without
-- a default owner, so a row that is added without its owner is refused.

-- Each owner has a list of repositories of their own.
CREATE TABLE new_repositories (
    id         TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL,
    path       BLOB NOT NULL,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- Trashed worktrees and closed sessions go on referring to a repository that was removed.
    removed_at TEXT,
    UNIQUE (owner, path)
) STRICT;
INSERT INTO new_repositories (id, owner, path, name, created_at, removed_at)
SELECT id, '00000000', path, name, created_at, removed_at FROM repositories ORDER BY rowid;
DROP TABLE repositories;
ALTER TABLE new_repositories RENAME TO repositories;

CREATE TABLE new_worktrees (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
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
    awaits_trash  INTEGER NOT NULL DEFAULT 0 CHECK (awaits_trash IN (0, 1)),
    CHECK ((place IN ('missing', 'trashed', 'gone')) = (place_at IS NOT NULL)),
    CHECK ((place = 'kept') = (kept_reason IS NOT NULL)),
    CHECK ((place = 'trashed') = (trash_path IS NOT NULL)),
    CHECK (place = 'trashed' OR (trash_head IS NULL AND trash_branch IS NULL))
) STRICT;
INSERT INTO new_worktrees (id, owner, repository_id, path, branch, base_commit, made_by_abide, place, place_at,
                           kept_reason, trash_path, trash_head, trash_branch, created_at, awaits_trash)
SELECT id, '00000000', repository_id, path, branch, base_commit, made_by_abide, place, place_at,
       kept_reason, trash_path, trash_head, trash_branch, created_at, awaits_trash FROM worktrees ORDER BY rowid;
DROP TABLE worktrees;
ALTER TABLE new_worktrees RENAME TO worktrees;
-- Each owner has a list of worktrees of their own.
CREATE UNIQUE INDEX worktrees_by_path ON worktrees (owner, path) WHERE place NOT IN ('trashed', 'gone');
CREATE INDEX worktrees_by_repository ON worktrees (repository_id);

CREATE TABLE new_tasks (
    id                 TEXT NOT NULL PRIMARY KEY,
    owner              TEXT NOT NULL,
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
INSERT INTO new_tasks (id, owner, repository_id, title, description, pinned, state, agent, session_id,
                       session_started_at, position, created_at)
SELECT id, '00000000', repository_id, title, description, pinned, state, agent, session_id,
       session_started_at, position, created_at FROM tasks ORDER BY rowid;
DROP TABLE tasks;
ALTER TABLE new_tasks RENAME TO tasks;

CREATE TABLE new_sessions (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('quick', 'worktree')),
    worktree_id   TEXT REFERENCES worktrees (id),
    location      BLOB NOT NULL,
    -- The task that it was begun for. It stays when the task has another session.
    task_id       TEXT REFERENCES tasks (id) ON DELETE SET NULL,
    title         TEXT,
    notices       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(notices) = 'array'),
    created_at    TEXT NOT NULL,
    closed_at     TEXT,
    -- Which session of another program this one was imported from.
    imported_from TEXT,
    CHECK ((kind = 'worktree') = (worktree_id IS NOT NULL))
) STRICT;
INSERT INTO new_sessions (id, owner, kind, worktree_id, location, task_id, title, notices, created_at, closed_at,
                          imported_from)
SELECT id, '00000000', kind, worktree_id, location, task_id, title, notices, created_at, closed_at,
       imported_from FROM sessions ORDER BY rowid;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_by_worktree ON sessions (worktree_id);
CREATE INDEX sessions_by_task ON sessions (task_id);
CREATE INDEX sessions_by_origin ON sessions (imported_from) WHERE imported_from IS NOT NULL;

CREATE TABLE new_workers (
    id         TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL,
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
    replaced   INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1)),
    UNIQUE (session_id, position),
    CHECK ((life = 'exited') = (exit_kind IS NOT NULL)),
    CHECK ((exit_kind IS NOT NULL AND exit_kind <> 'unknown') = (exit_value IS NOT NULL)),
    CHECK ((life IN ('failed', 'lost')) = (reason IS NOT NULL)),
    CHECK ((life IN ('paused', 'exited', 'failed', 'lost')) = (ended_at IS NOT NULL))
) STRICT;
INSERT INTO new_workers (id, owner, session_id, kind, data, name, command, life, exit_kind, exit_value, reason,
                         activity, position, is_primary, created_at, started_at, ended_at, replaced)
SELECT id, '00000000', session_id, kind, data, name, command, life, exit_kind, exit_value, reason,
       activity, position, is_primary, created_at, started_at, ended_at, replaced FROM workers ORDER BY rowid;
DROP TABLE workers;
ALTER TABLE new_workers RENAME TO workers;
CREATE UNIQUE INDEX workers_one_primary ON workers (session_id) WHERE is_primary;

CREATE TABLE new_session_logs (
    id            TEXT NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
    task_id       TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    session_id    TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    worker_id     TEXT REFERENCES workers (id) ON DELETE SET NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT NOT NULL,
    exit          TEXT NOT NULL CHECK (exit IN ('done', 'failed')),
    error         TEXT,
    kept_worktree BLOB
) STRICT;
INSERT INTO new_session_logs (id, owner, task_id, session_id, worker_id, started_at, ended_at, exit, error,
                              kept_worktree)
SELECT id, '00000000', task_id, session_id, worker_id, started_at, ended_at, exit, error,
       kept_worktree FROM session_logs ORDER BY rowid;
DROP TABLE session_logs;
ALTER TABLE new_session_logs RENAME TO session_logs;
CREATE INDEX session_logs_by_task ON session_logs (task_id);
CREATE INDEX session_logs_by_session ON session_logs (session_id);
CREATE INDEX session_logs_by_worker ON session_logs (worker_id);

CREATE TABLE new_tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    owner        TEXT NOT NULL,
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
INSERT INTO new_tokens (id, owner, name, hash, scope, worker_id, drive, created_at, expires_at, last_used_at,
                        revoked_at)
SELECT id, '00000000', name, hash, scope, worker_id, drive, created_at, expires_at, last_used_at,
       revoked_at FROM tokens ORDER BY rowid;
DROP TABLE tokens;
ALTER TABLE new_tokens RENAME TO tokens;
CREATE INDEX tokens_by_worker ON tokens (worker_id);

CREATE TABLE new_audit (
    -- Numbers of entries that were dropped are not used again. The newest entry is never dropped.
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    owner  TEXT NOT NULL,
    at     TEXT NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT
) STRICT;
INSERT INTO new_audit (seq, owner, at, actor, action, object, detail)
SELECT seq, '00000000', at, actor, action, object, detail FROM audit ORDER BY seq;
DROP TABLE audit;
ALTER TABLE new_audit RENAME TO audit;
CREATE INDEX audit_by_owner ON audit (owner, seq);

CREATE TABLE new_consents (
    repository_id TEXT NOT NULL REFERENCES repositories (id),
    owner         TEXT NOT NULL,
    hash          BLOB NOT NULL CHECK (length(hash) = 32),
    given_at      TEXT NOT NULL,
    PRIMARY KEY (repository_id, hash)
) STRICT;
INSERT INTO new_consents (repository_id, owner, hash, given_at)
SELECT repository_id, '00000000', hash, given_at FROM consents ORDER BY rowid;
DROP TABLE consents;
ALTER TABLE new_consents RENAME TO consents;
