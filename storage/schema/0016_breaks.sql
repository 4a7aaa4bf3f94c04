-- What a process that failed said last, and whether the results of one were finite numbers (1), not (0), or not looked
-- at (NULL): for breaks.
ALTER TABLE measurement ADD COLUMN details TEXT NOT NULL DEFAULT '';
ALTER TABLE measurement ADD COLUMN finite INTEGER CHECK (finite IN (0, 1));
