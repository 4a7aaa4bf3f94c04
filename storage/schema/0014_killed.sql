-- How often an attempt at this build ended at its time limit or by SIGKILL, since it was last begun from nothing.
ALTER TABLE build ADD COLUMN killed INTEGER NOT NULL DEFAULT 0 CHECK (killed >= 0);
