-- Age verification sessions; see docs/AGES.md.

CREATE TABLE age_sessions (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    sandbox    BOOLEAN     NOT NULL,
    state      TEXT        NOT NULL,
    -- The session, sealed.
    sealed     BYTEA       NOT NULL,
    version    BIGINT      NOT NULL,
    -- The end of its time.
    until_at   TIMESTAMPTZ NOT NULL,
    -- When nothing is kept any more.
    forget_at  TIMESTAMPTZ NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX age_sessions_of_application ON age_sessions (app_id, created_at, id);
CREATE INDEX age_sessions_by_age ON age_sessions (forget_at);

-- What age tokens must satisfy.
CREATE TABLE age_rules (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    sandbox    BOOLEAN     NOT NULL,
    wanted     JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX age_rules_of_application ON age_rules (app_id);

-- Keys that this server signs webhooks with; the newest signs.
CREATE TABLE webhook_keys (
    id         TEXT        NOT NULL PRIMARY KEY,
    sealed     BYTEA       NOT NULL,
    public_jwk JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- Results that people keep under keys of their own.
CREATE TABLE age_tokens (
    -- SHA-256 of the name that the key has with its authenticator.
    id        BYTEA       NOT NULL PRIMARY KEY,
    -- The key's public half and the result, sealed.
    sealed    BYTEA       NOT NULL,
    forget_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX age_tokens_by_age ON age_tokens (forget_at);
