-- The libraries that come with a build, as a worker loaded them: a JSON object of facts, as in `environment`.
ALTER TABLE build ADD COLUMN libraries TEXT NOT NULL DEFAULT '{}';
