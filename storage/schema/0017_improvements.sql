-- Series that became better, as `[detect] improvements` asks for: kept with the commits that did it, never reported.
CREATE TABLE improvement (
  id           INTEGER PRIMARY KEY,
  night_id     INTEGER NOT NULL REFERENCES night (id),
  series       TEXT NOT NULL,
  verdict      TEXT NOT NULL CHECK (verdict = 'improvement'),
  before_value REAL,
  after_value  REAL,
  change       REAL,
  low          REAL,
  high         REAL,
  pairs        INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  old_build    TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('confirmed', 'attributed', 'unattributed')),
  bisection_id INTEGER REFERENCES bisection (id),
  suspects     TEXT NOT NULL DEFAULT '[]',
  no_commit    TEXT NOT NULL DEFAULT '',
  UNIQUE (night_id, series)
) STRICT;
CREATE INDEX improvement_waiting ON improvement (night_id) WHERE state = 'confirmed';
CREATE INDEX improvement_of_series ON improvement (series);
CREATE INDEX improvement_of_bisection ON improvement (bisection_id);

-- How often the search for a night's improvements failed, and when it is tried again. No row: it has not failed.
CREATE TABLE improvement_try (
  night_id INTEGER PRIMARY KEY REFERENCES night (id),
  tries    INTEGER NOT NULL CHECK (tries >= 0),
  next_ms  INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  mark     TEXT                            -- what was there when the running try began; NULL: none runs
) STRICT;

-- What ended a regression that recovered.
CREATE TABLE ending (
  regression_id  INTEGER PRIMARY KEY REFERENCES regression (id),
  night_id       INTEGER NOT NULL REFERENCES night (id),  -- the first night that measured that it is gone
  since_id       INTEGER NOT NULL REFERENCES night (id),  -- the last night before it that still had it
  improvement_id INTEGER REFERENCES improvement (id),
  revert_commit  TEXT NOT NULL DEFAULT '',
  told           INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
) STRICT;
CREATE INDEX ending_untold ON ending (told) WHERE told = 0;
CREATE INDEX ending_of_improvement ON ending (improvement_id);
CREATE INDEX ending_of_night ON ending (night_id);
