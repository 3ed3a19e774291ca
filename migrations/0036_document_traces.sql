-- usable-from: 17
-- What later sessions of the same application are compared with, where the operator wants that (identity.duplicate_days).
CREATE TABLE document_traces (
    id          UUID        NOT NULL PRIMARY KEY,
    session_id  UUID        NOT NULL REFERENCES identity_sessions (id) ON DELETE CASCADE,
    app_id      UUID        NOT NULL,
    -- A keyed hash of the document's country and number.
    number_hash BYTEA,
    -- The holder's name and birthday, and embeddings of their face; sealed with the trace's key.
    sealed      BYTEA       NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX document_traces_by_number ON document_traces (app_id, number_hash);
CREATE INDEX document_traces_of_application ON document_traces (app_id, created_at);
CREATE INDEX document_traces_of_session ON document_traces (session_id);
CREATE INDEX document_traces_by_expiry ON document_traces (expires_at);
