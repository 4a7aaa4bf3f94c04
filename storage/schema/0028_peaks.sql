-- What a machine does at best, as a worker of a build measured it: once for each build, runner and environment.
CREATE TABLE peak (
  id               INTEGER PRIMARY KEY,
  build_id         INTEGER NOT NULL REFERENCES build (id),
  runner           TEXT NOT NULL,
  environment      TEXT NOT NULL REFERENCES environment (fingerprint),
  device           TEXT NOT NULL CHECK (device IN ('cpu', 'gpu')),
  fp32_flops       INTEGER NOT NULL CHECK (fp32_flops > 0),        -- a second, of a large product of matrices
  bf16_flops       INTEGER CHECK (bf16_flops > 0),                 -- NULL: the device cannot
  bytes_per_second INTEGER NOT NULL CHECK (bytes_per_second > 0),  -- read and written by a copy
  measured_ms      INTEGER NOT NULL,
  UNIQUE (build_id, runner, environment, device)
) STRICT;
