-- Whether another worker was started in the place of this one. Until now its name told.
ALTER TABLE workers ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1));
UPDATE workers SET replaced = 1 WHERE name LIKE '% (earlier)';
