-- Stands for a migration of another branch, which takes its place when both are merged.
SELECT 1;
