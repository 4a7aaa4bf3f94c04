-- How much higher the series stood that night than before the regression. NULL: no pairs said it, or an older tbci looked.
ALTER TABLE recovery_look ADD COLUMN effect REAL;
