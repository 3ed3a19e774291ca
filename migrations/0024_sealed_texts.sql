-- usable-from: 17
-- What people write about contents, notifications and checks is sealed. The columns that held it in clear are emptied by a
-- job; an older build that runs again writes into them, and what it writes counts.
ALTER TABLE reviews ADD COLUMN sealed_description BYTEA;
ALTER TABLE content_reports ADD COLUMN sealed_reason BYTEA;
ALTER TABLE content_reports ADD COLUMN sealed_resolution BYTEA;
ALTER TABLE identity_reviews ADD COLUMN sealed_reason BYTEA;
CREATE INDEX reviews_to_seal ON reviews (id) WHERE description <> '';
CREATE INDEX content_reports_to_seal ON content_reports (id) WHERE reason <> '' OR resolution <> '';
CREATE INDEX identity_reviews_to_seal ON identity_reviews (check_id) WHERE reason <> '';
