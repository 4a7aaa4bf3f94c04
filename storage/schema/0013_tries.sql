-- How often an unfinished night failed, and when it is tried again. A night without a row has not failed.
CREATE TABLE night_try (
  night_id    INTEGER PRIMARY KEY REFERENCES night (id),
  stage       TEXT NOT NULL,               -- the furthest in which a try failed: a further one counts from 1
  tries       INTEGER NOT NULL CHECK (tries >= 0),
  next_ms     INTEGER NOT NULL,
  reason      TEXT NOT NULL,               -- of the last failure
  mark        TEXT,                        -- what was there when the running try began; NULL: none runs
  given_up_ms INTEGER
) STRICT;
