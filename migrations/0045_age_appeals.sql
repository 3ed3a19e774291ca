-- usable-from: 17
-- People who were refused by an age session, and ask that somebody looks again.
CREATE TABLE age_appeals (
    -- Once for each session.
    session_id   UUID        NOT NULL PRIMARY KEY REFERENCES age_sessions (id) ON DELETE CASCADE,
    app_id       UUID        NOT NULL,
    case_id      UUID        NOT NULL,
    -- OPEN, UPHELD or OVERTURNED.
    state        TEXT        NOT NULL,
    -- What was known when it was made, and what the person says; sealed with the session's key.
    sealed       BYTEA       NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    decided_at   TIMESTAMPTZ
);
CREATE INDEX age_appeals_by_case ON age_appeals (case_id);

-- The picture that the application added; sealed with the session's key.
CREATE TABLE age_appeal_pictures (
    session_id UUID        NOT NULL PRIMARY KEY REFERENCES age_sessions (id) ON DELETE CASCADE,
    app_id     UUID        NOT NULL,
    sealed     BYTEA       NOT NULL,
    -- Of the picture, before it was sealed: the application's stored bytes.
    bytes      BIGINT      NOT NULL,
    delete_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX age_appeal_pictures_by_time ON age_appeal_pictures (delete_at);
CREATE INDEX age_appeal_pictures_of_application ON age_appeal_pictures (app_id);
