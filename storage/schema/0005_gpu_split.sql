-- Where the GPU's time of one iteration went: kernels ran, data moved between CPU and GPU alone, neither. All three or
-- none; of iterations that were traced apart from the measured ones.
ALTER TABLE measurement ADD COLUMN gpu_active_ns INTEGER;
ALTER TABLE measurement ADD COLUMN gpu_movement_ns INTEGER;
ALTER TABLE measurement ADD COLUMN gpu_idle_ns INTEGER;
