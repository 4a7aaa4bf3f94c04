-- Nightlies in the order of their versions (0.9 before 0.10): version_key is a function of tbci, for this migration only.
ALTER TABLE build ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
UPDATE build SET sort_key = version_key(name);
CREATE INDEX build_by_version ON build (subject, kind, sort_key);

-- The nights of a subject also in the order in which they were begun, without gaps, however many there are.
ALTER TABLE night ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
ALTER TABLE night ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE night SET sort_key = version_key(name), number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY subject ORDER BY id) AS number FROM night) AS counted
WHERE counted.id = night.id;
CREATE INDEX night_by_version ON night (subject, sort_key);
CREATE INDEX night_by_number ON night (subject, number);
CREATE INDEX night_by_start ON night (subject, started_ms);

-- What is asked of one series must not cost more with each year.
CREATE INDEX anchor_look_confirmed ON anchor_look (anchor_id, series, night_id) WHERE verdict <> '';
CREATE INDEX regression_of_series ON regression (series);
CREATE INDEX build_by_start ON build (subject, started_ms);
