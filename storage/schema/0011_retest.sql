-- What a night could not decide waits for a retest: the field's word for it.
ALTER TABLE leftover RENAME TO retest;
