-- Contents, moderations of them, what these find and whom they tell; see docs/ARCHITECTURE.md, "A moderation's life".

CREATE TABLE contents (
    id          UUID        NOT NULL PRIMARY KEY,
    account_id  UUID        NOT NULL,
    url         TEXT        NOT NULL,
    type        TEXT        NOT NULL,
    uploader_id UUID,
    title       TEXT,
    archived    BOOLEAN     NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX contents_of_account ON contents (account_id, created_at, id);

CREATE TABLE content_profiles (
    content_id UUID NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    profile_id UUID NOT NULL,
    account_id UUID NOT NULL,
    PRIMARY KEY (content_id, profile_id)
);
CREATE INDEX content_profiles_of_account ON content_profiles (account_id);

CREATE TABLE content_reports (
    id          UUID        NOT NULL PRIMARY KEY,
    account_id  UUID        NOT NULL,
    content_id  UUID        NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    reason      TEXT        NOT NULL,
    resolution  TEXT,
    reviewed_at TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX content_reports_of_content ON content_reports (content_id, created_at, id);
CREATE INDEX content_reports_of_account ON content_reports (account_id);

CREATE TABLE moderations (
    id           UUID        NOT NULL PRIMARY KEY,
    account_id   UUID        NOT NULL,
    content_id   UUID        NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    content_type TEXT        NOT NULL,
    url          TEXT        NOT NULL,
    -- What was asked for: checks with their ids, thresholds, profiles, groups.
    wanted       JSONB       NOT NULL,
    -- Where notifications go, encrypted: such addresses carry secrets.
    destinations BYTEA       NOT NULL,
    state        TEXT        NOT NULL,
    error_code   TEXT,
    error        TEXT,
    job_id       UUID        NOT NULL,
    -- Where a run goes on after an interruption, encrypted: it holds faces.
    checkpoint   BYTEA,
    -- Seconds of the content that were looked at.
    position     DOUBLE PRECISION NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    started_at   TIMESTAMPTZ,
    ended_at     TIMESTAMPTZ
);
CREATE INDEX moderations_of_account ON moderations (account_id, created_at, id);
CREATE INDEX moderations_of_content ON moderations (content_id, created_at, id);
CREATE INDEX moderations_by_job ON moderations (job_id);

-- One appearance of a face.
CREATE TABLE findings (
    id            UUID             NOT NULL PRIMARY KEY,
    account_id    UUID             NOT NULL,
    moderation_id UUID             NOT NULL REFERENCES moderations (id) ON DELETE CASCADE,
    track         BIGINT           NOT NULL,
    frame_time    DOUBLE PRECISION NOT NULL,
    profile_id    UUID,
    is_banned     BOOLEAN          NOT NULL,
    age_group     TEXT             NOT NULL,
    face_top      BIGINT           NOT NULL,
    face_right    BIGINT           NOT NULL,
    face_bottom   BIGINT           NOT NULL,
    face_left     BIGINT           NOT NULL,
    -- The appearance's embedding, encrypted.
    embedding     BYTEA            NOT NULL
);
CREATE UNIQUE INDEX findings_of_moderation ON findings (moderation_id, track);
CREATE INDEX findings_of_account ON findings (account_id);

CREATE TABLE notifications (
    id            UUID             NOT NULL PRIMARY KEY,
    account_id    UUID             NOT NULL,
    moderation_id UUID             NOT NULL REFERENCES moderations (id) ON DELETE CASCADE,
    finding_id    UUID,
    -- What it is of, so that nothing is told twice.
    subject       TEXT             NOT NULL,
    type          TEXT             NOT NULL,
    reason        TEXT             NOT NULL,
    content_id    UUID             NOT NULL,
    content_type  TEXT             NOT NULL,
    url           TEXT             NOT NULL,
    frame_time    DOUBLE PRECISION,
    observed_at   DOUBLE PRECISION NOT NULL,
    face_top      BIGINT,
    face_right    BIGINT,
    face_bottom   BIGINT,
    face_left     BIGINT,
    age_group     TEXT,
    profile_id    UUID,
    created_at    TIMESTAMPTZ      NOT NULL
);
CREATE UNIQUE INDEX notifications_of_moderation ON notifications (moderation_id, subject);
CREATE INDEX notifications_of_account ON notifications (account_id);

-- Lists of notifications: an account's, a moderation's, a member's inbox. Places in a list are numbered without gaps, so
-- that any page is found at once, however long the list.
CREATE TABLE notification_lists (
    list_id    UUID        NOT NULL PRIMARY KEY,
    account_id UUID        NOT NULL,
    length     BIGINT      NOT NULL,
    last_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX notification_lists_of_account ON notification_lists (account_id);

CREATE TABLE notification_places (
    list_id         UUID        NOT NULL,
    place           BIGINT      NOT NULL,
    notification_id UUID        NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    account_id      UUID        NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (list_id, place)
);
CREATE INDEX notification_places_by_time ON notification_places (list_id, created_at, place);
CREATE INDEX notification_places_of_notification ON notification_places (notification_id);
CREATE INDEX notification_places_of_account ON notification_places (account_id);

CREATE TABLE reviews (
    id              UUID        NOT NULL PRIMARY KEY,
    account_id      UUID        NOT NULL,
    notification_id UUID        NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    user_id         UUID        NOT NULL,
    description     TEXT        NOT NULL,
    score           BIGINT      NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX reviews_of_notification ON reviews (notification_id, user_id);
CREATE INDEX reviews_of_account ON reviews (account_id);

-- How many of a job's interruptions came before it last got further: those are held against it no more. A stream that is
-- watched for months outlives many processes.
ALTER TABLE jobs ADD COLUMN forgiven BIGINT NOT NULL DEFAULT 0;
