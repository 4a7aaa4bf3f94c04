-- The life of a report: whose fault it is about, whether it is over, what people are told by a comment, and what they
-- asked for. Issues that an older version filed about regressions that are over stay as they are.
ALTER TABLE report ADD COLUMN culprits TEXT NOT NULL DEFAULT '[]';  -- JSON array of commits; several: one of them did it
ALTER TABLE report ADD COLUMN open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1));
UPDATE report SET culprits = coalesce((SELECT suspects FROM regression WHERE report_id = report.id ORDER BY id LIMIT 1),
                                      '[]');
UPDATE report SET open = EXISTS (SELECT 1 FROM regression
                                 WHERE report_id = report.id AND standing IN ('open', 'relapsed'));

CREATE TABLE report_note (
  id        INTEGER PRIMARY KEY,
  report_id INTEGER NOT NULL REFERENCES report (id),
  revision  INTEGER NOT NULL,             -- of the report, that came with it
  text      TEXT NOT NULL,
  made_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX report_note_of_report ON report_note (report_id);

CREATE TABLE report_wish (
  id        INTEGER PRIMARY KEY,
  report_id INTEGER NOT NULL REFERENCES report (id),
  source    TEXT NOT NULL,                -- where it was said: `comment:17`, `label:...`
  wish      TEXT NOT NULL CHECK (wish IN ('accept', 'dismiss', 'reopen', 'rebisect', 'confirm', 'none')),
  person    TEXT NOT NULL,
  reason    TEXT NOT NULL,
  asked_ms  INTEGER NOT NULL,
  done_ms   INTEGER,                      -- NULL: it waits for a night
  UNIQUE (report_id, source)
) STRICT;
