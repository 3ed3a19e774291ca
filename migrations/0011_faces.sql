-- People whom an account knows, their faces, and how every index of them is kept in step; see docs/ARCHITECTURE.md.

CREATE TABLE profiles (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- 1: searchable, 2: never returned by a search.
    kind       BIGINT      NOT NULL,
    -- A profile that was deleted stays as a row that says so, without anything about the person.
    active     BOOLEAN     NOT NULL,
    banned     BOOLEAN     NOT NULL,
    -- Whether the person is known to be an adult.
    adult      BOOLEAN     NOT NULL,
    -- Name, references and consent, sealed.
    details    BYTEA,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX profiles_of_account ON profiles (account_id, created_at, id);

CREATE TABLE faces (
    id         UUID             NOT NULL PRIMARY KEY,
    account_id UUID             NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    profile_id UUID             NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    -- The digest of the space the embedding lies in; those of two spaces are never compared.
    model      BYTEA            NOT NULL,
    embedding  BYTEA            NOT NULL,
    quality    DOUBLE PRECISION NOT NULL,
    -- Whether the picture is kept, from which another model's embedding can be made.
    image      BOOLEAN          NOT NULL,
    -- The change of the account that this row, as it is, came with.
    seq        BIGINT           NOT NULL,
    created_at TIMESTAMPTZ      NOT NULL
);
CREATE INDEX faces_of_profile ON faces (profile_id);
CREATE INDEX faces_of_account ON faces (account_id, model, id);
CREATE INDEX faces_by_change ON faces (account_id, seq);

-- How many changes an account's faces have seen. Each change takes the row's lock, so whoever sees a number sees all up to
-- it.
CREATE TABLE face_accounts (
    account_id UUID   NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    seq        BIGINT NOT NULL
);

-- Faces that left the indexes, and with which change; kept for a week.
CREATE TABLE face_removals (
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    seq        BIGINT      NOT NULL,
    face_id    UUID        NOT NULL,
    removed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, seq, face_id)
);
CREATE INDEX face_removals_by_age ON face_removals (removed_at);

-- Faces whose picture may lie about without a row: written before the row is, or left when it went.
CREATE TABLE face_leavings (
    face_id    UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    due_at     TIMESTAMPTZ NOT NULL
);
CREATE INDEX face_leavings_by_age ON face_leavings (due_at);
CREATE INDEX face_leavings_of_account ON face_leavings (account_id);

-- "This face is not that profile", said by a person.
CREATE TABLE negative_labels (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    profile_id UUID        NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    model      BYTEA       NOT NULL,
    embedding  BYTEA       NOT NULL,
    seq        BIGINT      NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX negative_labels_of_profile ON negative_labels (profile_id, seq);
CREATE INDEX negative_labels_by_change ON negative_labels (account_id, seq);

CREATE TABLE profile_groups (
    id         UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    label      TEXT        NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX profile_groups_by_label ON profile_groups (account_id, label);
CREATE INDEX profile_groups_of_account ON profile_groups (account_id, created_at, id);

CREATE TABLE group_profiles (
    group_id   UUID        NOT NULL REFERENCES profile_groups (id) ON DELETE CASCADE,
    profile_id UUID        NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    account_id UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    joined_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (group_id, profile_id)
);
CREATE INDEX group_profiles_of_profile ON group_profiles (profile_id);
CREATE INDEX group_profiles_of_account ON group_profiles (account_id);
