-- Nightlies that no night could check when it was their turn: waited for, skipped, or not there at all.
CREATE TABLE skipped_nightly (
  subject     TEXT NOT NULL,
  name        TEXT NOT NULL,                 -- a day, as 2026-11-18, where no nightly of that day exists
  sort_key    TEXT NOT NULL,
  cause       TEXT NOT NULL CHECK (cause IN ('incomplete', 'yanked', 'missing', 'unchecked', 'broken')),
  reason      TEXT NOT NULL,
  seen_ms     INTEGER NOT NULL,              -- when this was first seen
  arrived_ms  INTEGER,                       -- when it could be installed after all; NULL: not yet
  given_up_ms INTEGER,                       -- since when it is skipped; NULL: it is waited for, or has arrived
  PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX skipped_by_version ON skipped_nightly (subject, sort_key);
