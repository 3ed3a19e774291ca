-- usable-from: 17
-- What a reviewer sees of a finding: the face, the picture that it is in, and how it looked over time. One file holds them.
CREATE TABLE finding_pictures (
    -- The name of the file.
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL,
    -- NULL: the finding is gone, or shows other pictures by now; the file is to be deleted.
    finding_id UUID        REFERENCES findings (id) ON DELETE SET NULL,
    -- Name, size, time and place in the file of each picture.
    pictures   JSONB       NOT NULL,
    -- The file's key, sealed with that of the profile or the moderation.
    sealed_key BYTEA       NOT NULL,
    bytes      BIGINT      NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX finding_pictures_of_finding ON finding_pictures (finding_id) WHERE finding_id IS NOT NULL;
CREATE INDEX finding_pictures_to_delete ON finding_pictures (id) WHERE finding_id IS NULL;
CREATE INDEX finding_pictures_of_account ON finding_pictures (account_id);
CREATE INDEX finding_pictures_by_age ON finding_pictures (created_at);
