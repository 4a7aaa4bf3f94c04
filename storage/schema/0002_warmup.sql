-- How long the iterations before the measured ones took: what a process costs beyond its iterations is its wall time less
-- these and the samples. 0 for measurements of before.
ALTER TABLE measurement ADD COLUMN warmup_ns INTEGER NOT NULL DEFAULT 0;
