-- usable-from: 17
-- When a face was seen first. Builds before do not write it: a job fills it in from their moderation.
ALTER TABLE findings ADD COLUMN observed_at TIMESTAMPTZ;
CREATE INDEX findings_without_time ON findings (id) WHERE observed_at IS NULL;
-- The faces that can still be compared with others, in the order in which they were seen.
CREATE INDEX findings_to_compare ON findings (account_id, observed_at, id) WHERE sealed_embedding IS NOT NULL;
-- Whether it was told afterwards, because the person was banned after they had been seen.
ALTER TABLE notifications ADD COLUMN retroactive BOOLEAN NOT NULL DEFAULT FALSE;
-- What was decided about the content or its author, as whoever accepted the notification says; sealed.
ALTER TABLE reviews ADD COLUMN sealed_decision BYTEA;
