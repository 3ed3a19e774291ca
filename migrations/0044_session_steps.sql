-- usable-from: 17
-- What happened in sessions of document and age verification, step by step; and by what sessions are found. Builds before
-- record nothing here, which is what sessions of before there was this table have, too.
CREATE TABLE session_steps (
    -- Of the session itself, an attempt, what was supplied, a check; else random.
    id                  UUID             NOT NULL PRIMARY KEY,
    app_id              UUID             NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    kind                TEXT             NOT NULL,
    sandbox             BOOLEAN          NOT NULL,
    -- One of these. Both are NULL once the session is deleted: what is left is counted, and belongs to nobody.
    age_session_id      UUID             REFERENCES age_sessions (id) ON DELETE SET NULL,
    document_session_id UUID             REFERENCES identity_sessions (id) ON DELETE SET NULL,
    step                TEXT             NOT NULL,
    -- A method, a kind of resource, a check.
    subject             TEXT             NOT NULL,
    -- NULL: it is under way.
    outcome             TEXT,
    reason              TEXT,
    started_at          TIMESTAMPTZ      NOT NULL,
    ended_at            TIMESTAMPTZ,
    seconds             DOUBLE PRECISION
);
CREATE INDEX session_steps_of_age_session ON session_steps (age_session_id, started_at) WHERE age_session_id IS NOT NULL;
CREATE INDEX session_steps_of_document_session ON session_steps (document_session_id, started_at)
    WHERE document_session_id IS NOT NULL;
CREATE INDEX session_steps_of_application ON session_steps (app_id, started_at);
CREATE INDEX session_steps_by_time ON session_steps (started_at);

-- Keyed hashes of the references that an application gave a session: its own of the session, and of the person.
CREATE TABLE session_references (
    hash                BYTEA       NOT NULL,
    -- Of either kind.
    session_id          UUID        NOT NULL,
    age_session_id      UUID        REFERENCES age_sessions (id) ON DELETE CASCADE,
    document_session_id UUID        REFERENCES identity_sessions (id) ON DELETE CASCADE,
    created_at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (hash, session_id)
);
CREATE INDEX session_references_of_age_session ON session_references (age_session_id) WHERE age_session_id IS NOT NULL;
CREATE INDEX session_references_of_document_session ON session_references (document_session_id)
    WHERE document_session_id IS NOT NULL;

CREATE INDEX age_sessions_by_creation ON age_sessions (created_at, id, app_id);
CREATE INDEX identity_sessions_by_creation ON identity_sessions (created_at, id, app_id);
