-- People who work in accounts, how they come in, and what becomes of an account that is closed.

-- OPEN, or CLOSING while what is under it is deleted. A closing account answers as one that never was.
ALTER TABLE accounts ADD COLUMN state TEXT NOT NULL DEFAULT 'OPEN';

CREATE TABLE members (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT        NOT NULL,
    -- The e-mail address as it is compared: in lower case.
    address    TEXT        NOT NULL,
    username   TEXT        NOT NULL,
    admin      BOOLEAN     NOT NULL,
    scopes     JSONB       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX members_of_account ON members (account_id, address);
CREATE INDEX members_by_address ON members (address);

-- Only the hash of what is in the link is kept.
CREATE TABLE invitations (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT        NOT NULL,
    address    TEXT        NOT NULL,
    username   TEXT        NOT NULL,
    admin      BOOLEAN     NOT NULL,
    scopes     JSONB       NOT NULL,
    hash       BYTEA       NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX invitations_of_account ON invitations (account_id, address);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE member_sessions (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    member_id  UUID        NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    hash       BYTEA       NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    -- When it ends where it is not used meanwhile, and when it ends anyway.
    expires_at TIMESTAMPTZ NOT NULL,
    ends_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX member_sessions_of_account ON member_sessions (account_id);
CREATE INDEX member_sessions_of_member ON member_sessions (member_id);
CREATE INDEX member_sessions_by_expiry ON member_sessions (expires_at);

-- Links that were sent to members who asked for one; kept for an hour, because they are counted.
CREATE TABLE sign_in_links (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    member_id  UUID        NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    hash       BYTEA       NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ
);
CREATE INDEX sign_in_links_of_account ON sign_in_links (account_id);
CREATE INDEX sign_in_links_of_member ON sign_in_links (member_id, created_at);
CREATE INDEX sign_in_links_by_age ON sign_in_links (created_at);

-- What was deleted with an account: kinds and numbers. It outlives the account and names nobody.
CREATE TABLE deletion_receipts (
    id           UUID        NOT NULL PRIMARY KEY,
    app_id       UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    account_id   UUID        NOT NULL UNIQUE,
    requested_by TEXT        NOT NULL,
    requested_at TIMESTAMPTZ NOT NULL,
    completed_at TIMESTAMPTZ,
    -- Signed, once it is complete.
    jws          TEXT
);

-- Its numbers, added up in the transactions that delete.
CREATE TABLE deletion_counts (
    receipt_id UUID   NOT NULL REFERENCES deletion_receipts (id) ON DELETE CASCADE,
    kind       TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    PRIMARY KEY (receipt_id, kind)
);

-- Answers that are kept for an account's operations go with it.
ALTER TABLE idempotent_answers ADD COLUMN account_id UUID;
CREATE INDEX idempotent_answers_of_account ON idempotent_answers (account_id) WHERE account_id IS NOT NULL;
