-- usable-from: 17
-- The numbers behind a finding: distances, years, quality and the model. Not of findings of before.
ALTER TABLE findings ADD COLUMN measurements JSONB;
