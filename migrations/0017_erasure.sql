-- usable-from: 17
-- What makes deletion certain; see docs/ARCHITECTURE.md, "Erasure".

-- The key of one document session, age session, profile or moderation, sealed. What was sealed with it is noise once it is
-- gone. The table is small, so that it can be rewritten after every erasure.
CREATE TABLE erasure_keys (
    owner_id UUID  NOT NULL PRIMARY KEY,
    sealed   BYTEA NOT NULL
);
INSERT INTO erasure_keys (owner_id, sealed) SELECT id, key FROM identity_sessions;
ALTER TABLE identity_sessions DROP COLUMN key;

-- How many transactions have erased something, and up to which of them the files of the database were cleaned.
CREATE TABLE erasure_progress (
    id      BIGINT NOT NULL PRIMARY KEY,
    erased  BIGINT NOT NULL,
    cleaned BIGINT NOT NULL
);
INSERT INTO erasure_progress (id, erased, cleaned) VALUES (1, 1, 0);

-- The embedding of an appearance: NULL once it was erased.
ALTER TABLE findings ADD COLUMN sealed_embedding BYTEA;
UPDATE findings SET sealed_embedding = embedding;
ALTER TABLE findings DROP COLUMN embedding;
CREATE INDEX findings_with_embedding ON findings (moderation_id) WHERE sealed_embedding IS NOT NULL;
CREATE INDEX findings_of_profile ON findings (profile_id) WHERE profile_id IS NOT NULL;
CREATE INDEX notifications_of_profile ON notifications (profile_id) WHERE profile_id IS NOT NULL;
CREATE INDEX content_profiles_of_profile ON content_profiles (profile_id);

CREATE INDEX decisions_by_age ON decisions (made_at);

-- Places of a list whose notification was deleted.
ALTER TABLE notification_lists ADD COLUMN gaps BIGINT NOT NULL DEFAULT 0;
