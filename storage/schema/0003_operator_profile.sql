-- Where the time of an iteration goes, operator by operator. One row of profile for each profiled process; a few dozen
-- names are shared by all of them.
CREATE TABLE profiled_operator (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE profile (
  id           INTEGER PRIMARY KEY,
  run_id       INTEGER NOT NULL REFERENCES run (id),
  build_id     INTEGER NOT NULL REFERENCES build (id),
  case_id      INTEGER NOT NULL REFERENCES measured_case (id),
  ordinal      INTEGER NOT NULL CHECK (ordinal >= 0),
  iterations   INTEGER NOT NULL CHECK (iterations > 0),
  iteration_ns INTEGER NOT NULL,
  outside_ns   INTEGER NOT NULL,
  profiler_ns  INTEGER NOT NULL,
  started_ms   INTEGER NOT NULL,
  UNIQUE (build_id, case_id, run_id, ordinal)
) STRICT;
CREATE INDEX profile_of_run ON profile (run_id);

CREATE TABLE operator_time (
  profile_id  INTEGER NOT NULL REFERENCES profile (id),
  operator_id INTEGER NOT NULL REFERENCES profiled_operator (id),
  calls       INTEGER NOT NULL,
  self_ns     INTEGER NOT NULL,
  PRIMARY KEY (profile_id, operator_id)
) STRICT, WITHOUT ROWID;
