-- Whether the iterations took turns with those of the other process of its pair, one by one (decision 0027).
ALTER TABLE measurement ADD COLUMN alternating INTEGER NOT NULL DEFAULT 0 CHECK (alternating IN (0, 1));
