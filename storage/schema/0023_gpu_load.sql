-- What the GPU was like while it was measured: its SM clock, its highest temperature, and what held the clock down (bits
-- of nvmlClocksThrottleReason...). All four or none: the worker cannot read them everywhere.
ALTER TABLE measurement ADD COLUMN gpu_sm_mhz_low INTEGER;
ALTER TABLE measurement ADD COLUMN gpu_sm_mhz_high INTEGER;
ALTER TABLE measurement ADD COLUMN gpu_celsius INTEGER;
ALTER TABLE measurement ADD COLUMN gpu_held_down_by INTEGER;
