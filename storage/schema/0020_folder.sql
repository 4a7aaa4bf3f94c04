-- The folder of a build that is not a LibTorch: what suites of their own measure. Empty: the build offers a LibTorch.
ALTER TABLE build ADD COLUMN folder TEXT NOT NULL DEFAULT '';
