-- usable-from: 17
-- Documents and faces that an application's operators know to be used for fraud.
CREATE TABLE fraud_list_entries (
    id          UUID        NOT NULL PRIMARY KEY,
    app_id      UUID        NOT NULL REFERENCES applications (id),
    -- DOCUMENT or FACE.
    kind        TEXT        NOT NULL,
    -- Of a document: a keyed hash of its country and number.
    number_hash BYTEA,
    -- Why and by whom, and the embedding of a face; sealed with the entry's key.
    sealed      BYTEA       NOT NULL,
    expires_at  TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX fraud_list_entries_by_number ON fraud_list_entries (app_id, number_hash);
CREATE INDEX fraud_list_entries_of_application ON fraud_list_entries (app_id, created_at, id);
CREATE INDEX fraud_list_entries_by_expiry ON fraud_list_entries (expires_at) WHERE expires_at IS NOT NULL;
