-- What the model counted of itself, such as the hits of a cache: a JSON array of [name, of, unit, value].
ALTER TABLE measurement ADD COLUMN evidence TEXT;
