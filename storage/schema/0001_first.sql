-- Times are milliseconds since 1970-01-01 UTC (`_ms`). Lists are JSON arrays of strings. See docs/database.md.
PRAGMA application_id = 1952605033;  -- "tbci"

CREATE TABLE build (
  id          INTEGER PRIMARY KEY,
  subject     TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('nightly', 'commit')),
  name        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'failed')),
  libtorch    TEXT NOT NULL DEFAULT '',
  preload     TEXT NOT NULL DEFAULT '[]',
  python      TEXT NOT NULL DEFAULT '',
  commit_id   TEXT NOT NULL DEFAULT '',
  version     TEXT NOT NULL DEFAULT '',
  failure     TEXT NOT NULL DEFAULT '',
  started_ms  INTEGER NOT NULL,
  finished_ms INTEGER,
  UNIQUE (subject, kind, name)
) STRICT;

CREATE TABLE environment (
  fingerprint   TEXT PRIMARY KEY,
  facts         TEXT NOT NULL,
  first_seen_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  id          INTEGER PRIMARY KEY,
  subject     TEXT NOT NULL,
  key         TEXT NOT NULL,
  purpose     TEXT NOT NULL CHECK (purpose IN ('screen', 'confirm', 'bisect', 'manual')),
  runner      TEXT NOT NULL,
  environment TEXT NOT NULL REFERENCES environment (fingerprint),
  started_ms  INTEGER NOT NULL,
  finished_ms INTEGER,
  UNIQUE (subject, key)
) STRICT;

-- The words that millions of measurements share stand in tables of their own: a number instead of 60 bytes a row.
CREATE TABLE measured_case (
  id            INTEGER PRIMARY KEY,
  benchmark     TEXT NOT NULL,
  configuration TEXT NOT NULL,
  UNIQUE (benchmark, configuration)
) STRICT;

CREATE TABLE torch (
  id      INTEGER PRIMARY KEY,
  version TEXT NOT NULL,
  git     TEXT NOT NULL,
  UNIQUE (version, git)
) STRICT;

CREATE TABLE measurement (
  id                  INTEGER PRIMARY KEY,
  run_id              INTEGER NOT NULL REFERENCES run (id),
  build_id            INTEGER NOT NULL REFERENCES build (id),
  case_id             INTEGER NOT NULL REFERENCES measured_case (id),
  ordinal             INTEGER NOT NULL CHECK (ordinal >= 0),
  outcome             TEXT NOT NULL CHECK (outcome IN ('done', 'unsupported', 'out_of_memory', 'exception', 'crashed',
                                                       'timed_out', 'protocol')),
  message             TEXT NOT NULL,
  sample_count        INTEGER NOT NULL CHECK (sample_count >= 0),
  median_ns           REAL,
  q1_ns               REAL,
  q3_ns               REAL,
  instruction_count   INTEGER NOT NULL CHECK (instruction_count >= 0),
  instructions_median REAL,
  cpu_peak_bytes      INTEGER,
  gpu_peak_bytes      INTEGER,
  cpu_growth_bytes    REAL,
  gpu_growth_bytes    REAL,
  torch_id            INTEGER NOT NULL REFERENCES torch (id),
  started_ms          INTEGER NOT NULL,
  wall_ns             INTEGER NOT NULL,
  samples             BLOB,
  instructions        BLOB,
  UNIQUE (build_id, case_id, run_id, ordinal)
) STRICT;
CREATE INDEX measurement_of_run ON measurement (run_id);

CREATE TABLE night (
  id          INTEGER PRIMARY KEY,
  subject     TEXT NOT NULL,
  name        TEXT NOT NULL,
  baseline    TEXT NOT NULL,
  stage       TEXT NOT NULL CHECK (stage IN ('install', 'measure', 'confirm', 'bisect', 'report', 'done', 'failed')),
  note        TEXT NOT NULL DEFAULT '',
  started_ms  INTEGER NOT NULL,
  finished_ms INTEGER,
  UNIQUE (subject, name)
) STRICT;

-- Numbers that may be NULL: not a number.
CREATE TABLE finding (
  night_id     INTEGER NOT NULL REFERENCES night (id),
  phase        TEXT NOT NULL CHECK (phase IN ('screen', 'confirm')),
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
  PRIMARY KEY (night_id, phase, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE bisection (
  id           INTEGER PRIMARY KEY,
  subject      TEXT NOT NULL,
  key          TEXT NOT NULL,
  from_commit  TEXT NOT NULL,
  to_commit    TEXT NOT NULL,
  series       TEXT NOT NULL,
  builds       INTEGER NOT NULL DEFAULT 0,
  measurements INTEGER NOT NULL DEFAULT 0,
  started_ms   INTEGER NOT NULL,
  finished_ms  INTEGER,
  UNIQUE (subject, key)
) STRICT;

CREATE TABLE probe (
  id           INTEGER PRIMARY KEY,
  bisection_id INTEGER NOT NULL REFERENCES bisection (id),
  commit_id    TEXT NOT NULL,
  series       TEXT NOT NULL,
  side         TEXT NOT NULL CHECK (side IN ('unknown', 'good', 'bad', 'unbuildable')),
  change       REAL,
  low          REAL,
  high         REAL,
  pairs        INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  UNIQUE (bisection_id, commit_id, series)
) STRICT;

CREATE TABLE answer (
  bisection_id INTEGER NOT NULL REFERENCES bisection (id),
  position     INTEGER NOT NULL,
  series       TEXT NOT NULL,
  suspects     TEXT NOT NULL,
  change       REAL,
  low          REAL,
  high         REAL,
  reason       TEXT NOT NULL,
  PRIMARY KEY (bisection_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE source_commit (
  subject      TEXT NOT NULL,
  id           TEXT NOT NULL,
  author       TEXT NOT NULL,
  email        TEXT NOT NULL,
  committed_ms INTEGER NOT NULL,
  title        TEXT NOT NULL,
  inputs       TEXT NOT NULL,
  PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  id         INTEGER PRIMARY KEY,
  subject    TEXT NOT NULL,
  marker     TEXT NOT NULL,
  title      TEXT NOT NULL,
  body       TEXT NOT NULL,
  labels     TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  UNIQUE (subject, marker)
) STRICT;

CREATE TABLE delivery (
  id              INTEGER PRIMARY KEY,
  report_id       INTEGER NOT NULL REFERENCES report (id),
  channel         TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_ms INTEGER NOT NULL,
  reference       TEXT NOT NULL DEFAULT '',
  error           TEXT NOT NULL DEFAULT '',
  UNIQUE (report_id, channel)
) STRICT;
CREATE INDEX delivery_pending ON delivery (next_attempt_ms) WHERE state = 'pending';

CREATE TABLE regression (
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
  UNIQUE (night_id, series)
) STRICT;
CREATE INDEX regression_of_bisection ON regression (bisection_id);
CREATE INDEX regression_of_report ON regression (report_id);
