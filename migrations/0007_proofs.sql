-- Proofs of age that were scanned, and what became of them; kept for 30 days.

CREATE TABLE proofs (
    -- 16 random bytes in base64url, as callers see it.
    id          TEXT        NOT NULL PRIMARY KEY,
    app_id      UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    terminal_id TEXT        NOT NULL,
    store_id    TEXT,
    status      TEXT        NOT NULL,
    record      JSONB       NOT NULL,
    -- While it is pending: what was scanned and whom to tell, encrypted.
    sealed      BYTEA,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX proofs_of_application ON proofs (app_id, created_at);
CREATE INDEX proofs_by_expiry ON proofs (expires_at);

-- Presentations that were accepted; each counts once, at whichever till it is shown.
CREATE TABLE used_presentations (
    use_key    BYTEA       NOT NULL PRIMARY KEY,
    proof_id   TEXT        NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX used_presentations_by_expiry ON used_presentations (expires_at);

-- What issuers publish: key sets, status lists, the trust list itself.
CREATE TABLE issuer_documents (
    uri          TEXT        NOT NULL PRIMARY KEY,
    content_type TEXT,
    body         BYTEA       NOT NULL,
    fetched_at   TIMESTAMPTZ NOT NULL,
    fresh_until  TIMESTAMPTZ NOT NULL
);

-- The providers whose proofs an application does not take.
ALTER TABLE applications ADD COLUMN excluded_providers JSONB NOT NULL DEFAULT '[]';

-- Keys that this server signs proofs with, encrypted; the newest signs, the others still verify.
CREATE TABLE issuing_keys (
    id         TEXT        NOT NULL PRIMARY KEY,
    sealed     BYTEA       NOT NULL,
    public_jwk JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    retired_at TIMESTAMPTZ
);

-- What a holder may fetch credentials with: a code that was handed over once, and how often it still serves.
CREATE TABLE holder_grants (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    hash       BYTEA       NOT NULL UNIQUE,
    age_over   JSONB       NOT NULL,
    batches    BIGINT      NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX holder_grants_by_expiry ON holder_grants (expires_at);
