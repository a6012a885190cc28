-- When a person was told of an entry outside of abide. What is in the inbox already counts as told.

ALTER TABLE inbox ADD COLUMN told_at TEXT;

UPDATE inbox SET told_at = since;
