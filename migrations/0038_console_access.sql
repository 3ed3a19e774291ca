-- usable-from: 38
-- Operators: people with a grant on the whole installation. And how everybody who works in the console comes in.

-- Sets of scopes with a name, besides those that are built in.
CREATE TABLE operator_roles (
    id         UUID        NOT NULL PRIMARY KEY,
    name       TEXT        NOT NULL UNIQUE,
    scopes     JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- An operator is disabled and never deleted, so that the audit trail goes on to name somebody.
CREATE TABLE operators (
    id          UUID        NOT NULL PRIMARY KEY,
    email       TEXT        NOT NULL,
    -- The e-mail address as it is compared: in lower case.
    address     TEXT        NOT NULL UNIQUE,
    name        TEXT        NOT NULL,
    -- A role that is built in, or one of operator_roles, or neither; and scopes besides.
    role        TEXT,
    role_id     UUID        REFERENCES operator_roles (id),
    scopes      JSONB       NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    disabled_at TIMESTAMPTZ
);
CREATE INDEX operators_of_role ON operators (role_id);

-- Only the hash of what is in the link is kept.
CREATE TABLE operator_invitations (
    id         UUID        NOT NULL PRIMARY KEY,
    email      TEXT        NOT NULL,
    address    TEXT        NOT NULL UNIQUE,
    name       TEXT        NOT NULL,
    role       TEXT,
    role_id    UUID        REFERENCES operator_roles (id),
    scopes     JSONB       NOT NULL,
    hash       BYTEA       NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX operator_invitations_of_role ON operator_invitations (role_id);
CREATE INDEX operator_invitations_by_expiry ON operator_invitations (expires_at);

-- Links that were sent to operators who asked for one; kept for an hour, because they are counted.
CREATE TABLE operator_sign_in_links (
    id          UUID        NOT NULL PRIMARY KEY,
    operator_id UUID        NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
    hash        BYTEA       NOT NULL UNIQUE,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL,
    used_at     TIMESTAMPTZ
);
CREATE INDEX operator_sign_in_links_of_operator ON operator_sign_in_links (operator_id, created_at);
CREATE INDEX operator_sign_in_links_by_age ON operator_sign_in_links (created_at);

-- Sessions and credentials belong to a holder: a member, whose account is named, or an operator, who has none.

CREATE TABLE console_sessions (
    id            UUID        NOT NULL PRIMARY KEY,
    holder_id     UUID        NOT NULL,
    account_id    UUID        REFERENCES accounts (id) ON DELETE CASCADE,
    hash          BYTEA       NOT NULL UNIQUE,
    method        TEXT        NOT NULL,
    -- Whether the holder has proved more than that they read mail at an address, or know a password.
    second_factor BOOLEAN     NOT NULL,
    -- The family of the browser, and the network with its last part cut off, as far as they were known.
    browser       TEXT,
    network       TEXT,
    created_at    TIMESTAMPTZ NOT NULL,
    last_used_at  TIMESTAMPTZ NOT NULL,
    -- When it ends where it is not used meanwhile, and when it ends anyway.
    expires_at    TIMESTAMPTZ NOT NULL,
    ends_at       TIMESTAMPTZ NOT NULL
);
CREATE INDEX console_sessions_of_holder ON console_sessions (holder_id);
CREATE INDEX console_sessions_of_account ON console_sessions (account_id);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);

INSERT INTO console_sessions (id, holder_id, account_id, hash, method, second_factor, created_at, last_used_at, expires_at, ends_at)
SELECT id, member_id, account_id, hash, 'mail-link', FALSE, created_at, created_at, expires_at, ends_at FROM member_sessions;
DROP TABLE member_sessions;

CREATE TABLE passkeys (
    id            UUID        NOT NULL PRIMARY KEY,
    holder_id     UUID        NOT NULL,
    account_id    UUID        REFERENCES accounts (id) ON DELETE CASCADE,
    credential_id BYTEA       NOT NULL UNIQUE,
    -- The public key and its counter. Sealed, so that nobody adds a key of their own to the database.
    sealed        BYTEA       NOT NULL,
    name          TEXT        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    last_used_at  TIMESTAMPTZ
);
CREATE INDEX passkeys_of_holder ON passkeys (holder_id);
CREATE INDEX passkeys_of_account ON passkeys (account_id);

-- Argon2id, sealed.
CREATE TABLE passwords (
    holder_id  UUID        NOT NULL PRIMARY KEY,
    account_id UUID        REFERENCES accounts (id) ON DELETE CASCADE,
    sealed     BYTEA       NOT NULL,
    set_at     TIMESTAMPTZ NOT NULL
);
CREATE INDEX passwords_of_account ON passwords (account_id);

CREATE TABLE totp_secrets (
    holder_id    UUID        NOT NULL PRIMARY KEY,
    account_id   UUID        REFERENCES accounts (id) ON DELETE CASCADE,
    sealed       BYTEA       NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    -- When a first code showed that the holder's device has it.
    confirmed_at TIMESTAMPTZ,
    -- The 30 seconds whose code was used last: none of them, and none before, counts again.
    last_step    BIGINT      NOT NULL
);
CREATE INDEX totp_secrets_of_account ON totp_secrets (account_id);

-- Whom an identity provider knows the holder as, from their first sign-in there.
CREATE TABLE oidc_subjects (
    holder_id  UUID        NOT NULL,
    account_id UUID        REFERENCES accounts (id) ON DELETE CASCADE,
    issuer     TEXT        NOT NULL,
    subject    TEXT        NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (holder_id, issuer)
);
CREATE INDEX oidc_subjects_by_subject ON oidc_subjects (issuer, subject);
CREATE INDEX oidc_subjects_of_account ON oidc_subjects (account_id);

-- Challenges that were answered: each counts once. What the server remembers of one travels sealed with its browser.
CREATE TABLE used_sign_in_challenges (
    id         UUID        NOT NULL PRIMARY KEY,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX used_sign_in_challenges_by_expiry ON used_sign_in_challenges (expires_at);

-- Wrong passwords and codes in a row, of people and of addresses that nobody has alike: a keyed hash.
CREATE TABLE sign_in_failures (
    subject   BYTEA       NOT NULL PRIMARY KEY,
    failures  BIGINT      NOT NULL,
    failed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sign_in_failures_by_age ON sign_in_failures (failed_at);

-- Until when a key works, and when it was used last, to the hour.
ALTER TABLE api_keys ADD COLUMN expires_at TIMESTAMPTZ;
ALTER TABLE api_keys ADD COLUMN last_used_at TIMESTAMPTZ;
