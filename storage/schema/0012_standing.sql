-- What became of a regression after the night that found it, and who said so.
ALTER TABLE regression ADD COLUMN standing TEXT NOT NULL DEFAULT 'open'
  CHECK (standing IN ('open', 'recovered', 'accepted', 'dismissed', 'relapsed'));
UPDATE regression SET standing = 'recovered', state = 'reported' WHERE state = 'recovered';
CREATE INDEX regression_open ON regression (night_id) WHERE standing IN ('open', 'relapsed');

CREATE TABLE decision (
  id            INTEGER PRIMARY KEY,
  regression_id INTEGER NOT NULL REFERENCES regression (id),
  standing      TEXT NOT NULL CHECK (standing IN ('open', 'recovered', 'accepted', 'dismissed', 'relapsed')),
  person        TEXT NOT NULL,
  reason        TEXT NOT NULL,
  decided_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX decision_of_regression ON decision (regression_id);

-- Nights that measured the build of tonight in pairs with the build before the regression.
CREATE TABLE recovery_look (
  regression_id INTEGER NOT NULL REFERENCES regression (id),
  night_id      INTEGER NOT NULL REFERENCES night (id),
  verdict       TEXT NOT NULL CHECK (verdict IN ('clear', 'suspect', 'regression', 'improvement', 'inconclusive',
                                                 'environment-changed')),
  PRIMARY KEY (regression_id, night_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mute (
  subject  TEXT NOT NULL,
  series   TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  person   TEXT NOT NULL,
  reason   TEXT NOT NULL,
  set_ms   INTEGER NOT NULL,
  PRIMARY KEY (subject, series)
) STRICT, WITHOUT ROWID;

-- A report that more regressions join gets a new revision, which is delivered as well.
ALTER TABLE report ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE delivery ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
UPDATE delivery SET revision = 1 WHERE state = 'delivered';
