-- Growth an iteration with what it lies between (99%), by the allocator's count, of the resident set and on the GPU;
-- how long the iterations took that looked for it; what the GPU's allocator had from the driver. NULL: not measured.
ALTER TABLE measurement ADD COLUMN gpu_reserved_peak_bytes INTEGER;
ALTER TABLE measurement ADD COLUMN cpu_growth_low_bytes REAL;
ALTER TABLE measurement ADD COLUMN cpu_growth_high_bytes REAL;
ALTER TABLE measurement ADD COLUMN rss_growth_bytes REAL;
ALTER TABLE measurement ADD COLUMN rss_growth_low_bytes REAL;
ALTER TABLE measurement ADD COLUMN rss_growth_high_bytes REAL;
ALTER TABLE measurement ADD COLUMN gpu_growth_low_bytes REAL;
ALTER TABLE measurement ADD COLUMN gpu_growth_high_bytes REAL;
ALTER TABLE measurement ADD COLUMN growth_ns INTEGER NOT NULL DEFAULT 0;
