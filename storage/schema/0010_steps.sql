-- A series may get worse at several commits of one night: each of them that is worth an issue is a regression.
CREATE TABLE regression_of_now (
  id           INTEGER PRIMARY KEY,
  night_id     INTEGER NOT NULL REFERENCES night (id),
  series       TEXT NOT NULL,
  verdict      TEXT NOT NULL CHECK (verdict IN ('clear', 'suspect', 'regression', 'improvement', 'inconclusive',
                                                'environment-changed')),
  before_value REAL,
  after_value  REAL,
  change       REAL,
  low          REAL,
  high         REAL,
  pairs        INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('confirmed', 'bisecting', 'attributed', 'unattributed', 'reported',
                                              'recovered')),
  bisection_id INTEGER REFERENCES bisection (id),
  suspects     TEXT NOT NULL DEFAULT '[]',
  no_culprit   TEXT NOT NULL DEFAULT '',
  report_id    INTEGER REFERENCES report (id),
  old_build    TEXT NOT NULL DEFAULT '',              -- as before
  step         INTEGER NOT NULL DEFAULT 0 CHECK (step >= 0),  -- 0: all of what the night found, and its largest step
  UNIQUE (night_id, series, step)
) STRICT;
INSERT INTO regression_of_now (id, night_id, series, verdict, before_value, after_value, change, low, high, pairs, reason,
                               state, bisection_id, suspects, no_culprit, report_id, old_build)
SELECT id, night_id, series, verdict, before_value, after_value, change, low, high, pairs, reason, state, bisection_id,
       suspects, no_culprit, report_id, old_build
FROM regression;
DROP TABLE regression;
ALTER TABLE regression_of_now RENAME TO regression;
CREATE INDEX regression_of_bisection ON regression (bisection_id);
CREATE INDEX regression_of_report ON regression (report_id);
