-- usable-from: 17
-- Files of contents that were uploaded, instead of being called at an address; the bytes lie in the store for blobs, sealed
-- with a key of `erasure_keys`. Where another table has the address of a content, it has `upload:` and the id of one of these.
CREATE TABLE content_uploads (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL,
    -- The content that has it. NULL: none yet, or none any more.
    content_id UUID,
    media_type TEXT        NOT NULL,
    -- As it was sent, before encryption; 0 until all of it is stored, and once it is deleted.
    bytes      BIGINT      NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- When it is deleted; NULL while a content has it.
    expires_at TIMESTAMPTZ
);
CREATE INDEX content_uploads_of_account ON content_uploads (account_id);
CREATE INDEX content_uploads_of_content ON content_uploads (content_id) WHERE content_id IS NOT NULL;
CREATE INDEX content_uploads_by_expiry ON content_uploads (expires_at) WHERE expires_at IS NOT NULL;
