-- Bearer tokens; only their hashes are kept. One that was made by hand has a name, and may never expire.

CREATE TABLE access_tokens (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    hash       BYTEA       NOT NULL UNIQUE,
    scopes     JSONB       NOT NULL,
    name       TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ
);
CREATE INDEX access_tokens_of_application ON access_tokens (app_id, expires_at);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

-- Client assertions that were used (RFC 7523, jti); each is refused until it has expired anyway.
CREATE TABLE used_assertions (
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    hash       BYTEA       NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (app_id, hash)
);
CREATE INDEX used_assertions_by_expiry ON used_assertions (expires_at);
