-- Document verification sessions; see docs/IDENTITY.md.

CREATE TABLE identity_sessions (
    id           UUID        NOT NULL PRIMARY KEY,
    app_id       UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    state        TEXT        NOT NULL,
    -- Whether the person is through and the checks are on.
    triggered    BOOLEAN     NOT NULL,
    -- SHA-256 of the person's token.
    token_hash   BYTEA       NOT NULL,
    -- The session's own key, sealed. What was sealed with it is noise once it is gone.
    key          BYTEA       NOT NULL,
    -- The session, sealed with that key.
    sealed       BYTEA       NOT NULL,
    version      BIGINT      NOT NULL,
    -- The end of the person's time.
    until_at     TIMESTAMPTZ NOT NULL,
    -- When resources are destroyed; NULL where they were.
    destroy_at   TIMESTAMPTZ,
    -- When nothing is kept any more.
    forget_at    TIMESTAMPTZ NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX identity_sessions_of_application ON identity_sessions (app_id, created_at, id);
CREATE UNIQUE INDEX identity_sessions_by_token ON identity_sessions (token_hash);
CREATE INDEX identity_sessions_by_end ON identity_sessions (state, until_at);
CREATE INDEX identity_sessions_by_destruction ON identity_sessions (destroy_at);
CREATE INDEX identity_sessions_by_age ON identity_sessions (forget_at);

-- Sessions whose blobs may lie about though their key is gone.
CREATE TABLE identity_leavings (
    session_id UUID        NOT NULL,
    -- The media, where it is one of a session that goes on.
    media_id   UUID        NOT NULL,
    due_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (session_id, media_id)
);
CREATE INDEX identity_leavings_by_age ON identity_leavings (due_at);

-- What a sandbox answers, for each application.
CREATE TABLE identity_responses (
    app_id     UUID        NOT NULL PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
    sealed     BYTEA       NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

-- Checks that wait for a person's decision, and what was decided.
CREATE TABLE identity_reviews (
    check_id   UUID        NOT NULL PRIMARY KEY,
    session_id UUID        NOT NULL REFERENCES identity_sessions (id) ON DELETE CASCADE,
    app_id     UUID        NOT NULL,
    kind       TEXT        NOT NULL,
    -- What this server would have said.
    proposed   TEXT        NOT NULL,
    decision   TEXT,
    -- Why, in the reviewer's words.
    reason     TEXT,
    reviewer   TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    decided_at TIMESTAMPTZ
);
CREATE INDEX identity_reviews_open ON identity_reviews (decided_at, created_at);
CREATE INDEX identity_reviews_of_session ON identity_reviews (session_id);
