-- Nightlies that a person wants on the disk, whatever its budget.
CREATE TABLE pin (
  subject TEXT NOT NULL,
  name    TEXT NOT NULL,
  person  TEXT NOT NULL,
  reason  TEXT NOT NULL,
  set_ms  INTEGER NOT NULL,
  PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
