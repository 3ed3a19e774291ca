-- Moderation accounts. One application may own several, as one for tests and one for production.

CREATE TABLE accounts (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    name       TEXT        NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX accounts_by_name ON accounts (app_id, name);

-- Whose work and messages they are, so that an account's go with it.
ALTER TABLE jobs ADD COLUMN account_id UUID;
CREATE INDEX jobs_of_account ON jobs (account_id) WHERE account_id IS NOT NULL;
ALTER TABLE deliveries ADD COLUMN account_id UUID;
CREATE INDEX deliveries_of_account ON deliveries (account_id) WHERE account_id IS NOT NULL;
