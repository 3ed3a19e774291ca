-- usable-from: 16
-- Keys of the installation, and what builds may use its database; see docs/RUNNING.md, "Keys" and "Roll-outs".

-- Of each migration from this one on: the oldest schema that a build may know and still use the database.
CREATE TABLE schema_versions (
    version     BIGINT NOT NULL PRIMARY KEY,
    usable_from BIGINT NOT NULL
);

-- How the installation began: one row.
CREATE TABLE installation (
    id         BIGINT      NOT NULL PRIMARY KEY CHECK (id = 1),
    -- Whether `assay serve --dev` made it.
    dev        BOOLEAN     NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

-- The data key, from which all other keys are derived, wrapped: a row for each master key that opens it, or did.
CREATE TABLE data_keys (
    id         UUID        NOT NULL,
    -- The fingerprint of the master key.
    master_key TEXT        NOT NULL,
    -- NULL once the master key is retired.
    wrapped    BYTEA,
    -- RANDOM, or MASTER_KEY: the bytes of the master key of a database that is older than this table.
    origin     TEXT        NOT NULL,
    -- CURRENT, RETIRING (it still opens) or RETIRED.
    state      TEXT        NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    retired_at TIMESTAMPTZ,
    PRIMARY KEY (id, master_key)
);
CREATE UNIQUE INDEX data_keys_current ON data_keys (state) WHERE state = 'CURRENT';

-- Which master key each running process would start with now. A former key is kept until no process needs it.
CREATE TABLE master_key_holders (
    process_id UUID        NOT NULL PRIMARY KEY,
    -- What it is, where it runs and its number there.
    name       TEXT        NOT NULL,
    -- A fingerprint; NULL if it finds no key of this database.
    master_key TEXT,
    seen_at    TIMESTAMPTZ NOT NULL
);

-- Until when a key is published after another has begun to sign; NULL for the one that signs.
ALTER TABLE webhook_keys ADD COLUMN retires_at TIMESTAMPTZ;
