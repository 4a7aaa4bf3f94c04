-- How likely each commit of a bisection was the culprit before anything was measured, and why: a search that goes on
-- weighs them as before.
CREATE TABLE commit_prior (
  bisection_id INTEGER NOT NULL REFERENCES bisection (id),
  series       TEXT NOT NULL,
  position     INTEGER NOT NULL,   -- of the commit, the good end is 0
  commit_id    TEXT NOT NULL,
  weight       REAL NOT NULL,      -- above 0; only the ratio to others counts
  reason       TEXT NOT NULL,      -- one line
  PRIMARY KEY (bisection_id, series, position)
) STRICT, WITHOUT ROWID;

ALTER TABLE answer_step ADD COLUMN prior REAL NOT NULL DEFAULT 0;          -- of the suspects together; 0: all were alike
ALTER TABLE answer_step ADD COLUMN prior_reason TEXT NOT NULL DEFAULT '';  -- of the likeliest of them
