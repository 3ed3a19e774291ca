-- Answers to requests that carried an Idempotency-Key, kept for a day.

CREATE TABLE idempotent_answers (
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    -- SHA-256 over operation and key, and over the request's body.
    request    BYTEA       NOT NULL,
    body_hash  BYTEA       NOT NULL,
    status     BIGINT      NOT NULL,
    sealed     BYTEA       NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (app_id, request)
);
CREATE INDEX idempotent_answers_by_expiry ON idempotent_answers (expires_at);
