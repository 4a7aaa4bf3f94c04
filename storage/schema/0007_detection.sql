-- What detection remembers from night to night beside the findings.

-- The machine moved, not the build: of one series, or ('' as series) of the whole machine.
CREATE TABLE event (
  id         INTEGER PRIMARY KEY,
  night_id   INTEGER NOT NULL REFERENCES night (id),
  runner     TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('environment', 'moved')),
  series     TEXT NOT NULL,
  reason     TEXT NOT NULL,
  noticed_ms INTEGER NOT NULL,
  UNIQUE (night_id, runner, kind, series)
) STRICT;

-- Acts of persons, the latest counts. Without a build: the anchor was taken away.
CREATE TABLE anchor (
  id       INTEGER PRIMARY KEY,
  subject  TEXT NOT NULL,
  build_id INTEGER REFERENCES build (id),
  person   TEXT NOT NULL,
  reason   TEXT NOT NULL,
  set_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX anchor_of_subject ON anchor (subject);

-- A night that measured a series against the anchor: its pairs [[anchor, tonight], ...] in the metric's unit, and what a
-- confirmation said where one was asked for.
CREATE TABLE anchor_look (
  anchor_id INTEGER NOT NULL REFERENCES anchor (id),
  night_id  INTEGER NOT NULL REFERENCES night (id),
  series    TEXT NOT NULL,
  pairs     TEXT NOT NULL,
  verdict   TEXT NOT NULL DEFAULT '',
  effect    REAL,
  PRIMARY KEY (anchor_id, night_id, series)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchor_look_of_series ON anchor_look (anchor_id, series);

-- What a night left undecided, for the next one: against the same older nightly, with the pairs measured so far.
CREATE TABLE leftover (
  night_id      INTEGER NOT NULL REFERENCES night (id),
  series        TEXT NOT NULL,
  old_build     TEXT NOT NULL,
  first_suspect TEXT NOT NULL,
  suspected     REAL NOT NULL,
  nights_looked INTEGER NOT NULL CHECK (nights_looked >= 0),
  nights_waited INTEGER NOT NULL CHECK (nights_waited >= 0),
  pairs         TEXT NOT NULL,
  PRIMARY KEY (night_id, series)
) STRICT, WITHOUT ROWID;

-- The nightly that a regression was confirmed against; '' before this version: the baseline of its night.
ALTER TABLE regression ADD COLUMN old_build TEXT NOT NULL DEFAULT '';
