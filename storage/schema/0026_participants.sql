-- What the body of a report has no room for, and the pull request of its culprit.
ALTER TABLE report ADD COLUMN rest TEXT NOT NULL DEFAULT '';
ALTER TABLE report ADD COLUMN pull_request TEXT NOT NULL DEFAULT '';
