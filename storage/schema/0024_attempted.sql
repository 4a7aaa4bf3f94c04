-- When the first request was begun that writes to the channel and whose answer is not known: from then on the report may
-- be there. NULL: nothing was written, or its answer is known.
ALTER TABLE delivery ADD COLUMN attempted_ms INTEGER;
