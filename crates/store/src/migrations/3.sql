-- Whether a worktree is kept only until it is moved to the trash. Until now its reason told.
ALTER TABLE worktrees ADD COLUMN awaits_trash INTEGER NOT NULL DEFAULT 0 CHECK (awaits_trash IN (0, 1));
UPDATE worktrees SET awaits_trash = 1
WHERE kept_reason = 'its session is over, and it was not yet moved to the trash';

-- Which session of another program this one was imported from. Until now a notice told.
ALTER TABLE sessions ADD COLUMN imported_from TEXT;
UPDATE sessions SET imported_from = (
    SELECT substr(value, length('imported from agent-console: session ') + 1) FROM json_each(sessions.notices)
    WHERE value LIKE 'imported from agent-console: session %' LIMIT 1
);
CREATE INDEX sessions_by_origin ON sessions (imported_from) WHERE imported_from IS NOT NULL;
