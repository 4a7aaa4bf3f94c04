-- How certain a culprit is, and every step of a series: there may be more than one.
ALTER TABLE answer ADD COLUMN posterior REAL NOT NULL DEFAULT 0;  -- of the largest step; 0 where an older tbci searched

CREATE TABLE answer_step (
  bisection_id INTEGER NOT NULL,
  position     INTEGER NOT NULL,   -- of the answer
  step         INTEGER NOT NULL,   -- in the order of the commits, from 0
  suspects     TEXT NOT NULL,      -- JSON array of commits; one: the culprit
  posterior    REAL NOT NULL,
  change       REAL,
  low          REAL,
  high         REAL,
  repair       INTEGER NOT NULL,   -- 1: it goes the other way
  reason       TEXT NOT NULL,
  PRIMARY KEY (bisection_id, position, step),
  FOREIGN KEY (bisection_id, position) REFERENCES answer (bisection_id, position)
) STRICT, WITHOUT ROWID;
