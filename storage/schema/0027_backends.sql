-- What a backend other than eager took: time to trace and compile, iterations until the time was steady, the largest
-- difference between its results and eager's. The backend itself is part of measured_case.configuration.
ALTER TABLE measurement ADD COLUMN compile_ns INTEGER;
ALTER TABLE measurement ADD COLUMN unsteady_iterations INTEGER;
ALTER TABLE measurement ADD COLUMN difference REAL;
