-- Tenants, their applications and what those sign and call with; see docs/ARCHITECTURE.md, "Two databases".

CREATE TABLE organisations (
    id         UUID        NOT NULL PRIMARY KEY,
    name       TEXT        NOT NULL,
    status     TEXT        NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- An application may outlive its organisation, or wait for one: callers are then told which of the two it is.
CREATE TABLE applications (
    id                UUID        NOT NULL PRIMARY KEY,
    organisation_id   UUID,
    name              TEXT        NOT NULL,
    state             TEXT        NOT NULL,
    billing_source_id TEXT,
    features          JSONB       NOT NULL,
    unclocked         BOOLEAN     NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL
);
CREATE INDEX applications_of_organisation ON applications (organisation_id);

CREATE TABLE public_keys (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    der        BYTEA       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    revoked_at TIMESTAMPTZ
);
CREATE INDEX public_keys_of_application ON public_keys (app_id);

CREATE TABLE api_keys (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    name       TEXT        NOT NULL,
    hash       BYTEA       NOT NULL UNIQUE,
    scopes     JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    revoked_at TIMESTAMPTZ
);
CREATE INDEX api_keys_of_application ON api_keys (app_id);

-- Nonces that were used; each is refused until it is too old to pass the clock check anyway.
CREATE TABLE used_nonces (
    app_id     UUID        NOT NULL,
    nonce      UUID        NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (app_id, nonce)
);
CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at);
