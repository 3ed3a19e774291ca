-- usable-from: 17
-- Cases: what people decide in the console, and the queues that they are taken from; see docs/CONSOLE.md.

CREATE TABLE case_queues (
    id                     UUID        NOT NULL PRIMARY KEY,
    app_id                 UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    -- The account whose findings it takes. NULL: checks of documents and appeals, which are the application's.
    account_id             UUID,
    name                   TEXT        NOT NULL,
    -- Queues are asked in this order whether they take a case.
    position               BIGINT      NOT NULL,
    -- Which cases it takes: kinds, reasons, languages; an empty list takes all.
    rules                  JSONB       NOT NULL,
    -- Added to the priority of its cases.
    priority               BIGINT      NOT NULL,
    target_minutes         BIGINT      NOT NULL,
    -- How many reviewers decide about each case, and about which share of the cases one more does.
    opinions               BIGINT      NOT NULL,
    second_opinion_percent BIGINT      NOT NULL,
    -- How many of a hundred cases are golden ones.
    golden_percent         BIGINT      NOT NULL,
    -- What reviewers read beside its cases.
    policy                 TEXT        NOT NULL,
    -- Codes that they give a decision, with their words and a comment to begin with.
    reason_codes           JSONB       NOT NULL,
    created_at             TIMESTAMPTZ NOT NULL
);
CREATE INDEX case_queues_of_application ON case_queues (app_id, position);
CREATE INDEX case_queues_of_account ON case_queues (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE cases (
    id              UUID        NOT NULL PRIMARY KEY,
    app_id          UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    account_id      UUID,
    -- The account, or the application where there is none: whose reviewers it waits for.
    owner_id        UUID        NOT NULL,
    queue_id        UUID        REFERENCES case_queues (id) ON DELETE SET NULL,
    kind            TEXT        NOT NULL,
    reason          TEXT        NOT NULL,
    language        TEXT,
    priority        BIGINT      NOT NULL,
    -- What it is about: one of these.
    notification_id UUID        REFERENCES notifications (id) ON DELETE CASCADE,
    check_id        UUID        REFERENCES identity_reviews (check_id) ON DELETE CASCADE,
    age_session_id  UUID        REFERENCES age_sessions (id) ON DELETE CASCADE,
    -- The case whose decision somebody appeals against.
    appeal_of       UUID        REFERENCES cases (id) ON DELETE CASCADE,
    -- OPEN, HELD, DECIDED (not settled yet), SETTLED, WITHDRAWN (decided elsewhere), GOLDEN
    state           TEXT        NOT NULL,
    opinions_needed BIGINT      NOT NULL,
    -- What is right, of a golden case.
    golden_answer   TEXT,
    -- Who works on it, and until when it is theirs alone.
    holder_id       UUID,
    lease_until     TIMESTAMPTZ,
    -- Whom it was handed to: nobody else gets it.
    assigned_to     UUID,
    held_until      TIMESTAMPTZ,
    -- Why it was put on hold; sealed.
    sealed_note     BYTEA,
    due_at          TIMESTAMPTZ NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    outcome         TEXT,
    closed_at       TIMESTAMPTZ
);
CREATE INDEX cases_to_claim ON cases (owner_id, priority DESC, due_at, id) WHERE state IN ('OPEN', 'HELD', 'GOLDEN');
CREATE INDEX cases_of_owner ON cases (owner_id, state, due_at, id);
CREATE INDEX cases_assigned ON cases (assigned_to) WHERE assigned_to IS NOT NULL;
CREATE INDEX cases_of_account ON cases (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX cases_of_queue ON cases (queue_id, state, due_at);
CREATE INDEX cases_of_holder ON cases (holder_id) WHERE holder_id IS NOT NULL;
CREATE INDEX cases_of_check ON cases (check_id) WHERE check_id IS NOT NULL;
CREATE INDEX cases_of_age_session ON cases (age_session_id) WHERE age_session_id IS NOT NULL;
CREATE INDEX cases_of_notification ON cases (notification_id) WHERE notification_id IS NOT NULL;
CREATE INDEX cases_appealed ON cases (appeal_of) WHERE appeal_of IS NOT NULL;

-- What one reviewer said about a case.
CREATE TABLE case_opinions (
    id               UUID             NOT NULL PRIMARY KEY,
    case_id          UUID             NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    app_id           UUID             NOT NULL,
    account_id       UUID,
    reviewer_id      UUID             NOT NULL,
    decision         TEXT             NOT NULL,
    reason_code      TEXT,
    -- In the reviewer's words; sealed.
    sealed_comment   BYTEA,
    exposure_seconds DOUBLE PRECISION NOT NULL,
    decided_at       TIMESTAMPTZ      NOT NULL,
    -- Until then it can be taken back.
    settles_at       TIMESTAMPTZ      NOT NULL,
    settled_at       TIMESTAMPTZ
);
CREATE UNIQUE INDEX case_opinions_of_case ON case_opinions (case_id, reviewer_id);
CREATE INDEX case_opinions_of_reviewer ON case_opinions (reviewer_id, decided_at);
CREATE INDEX case_opinions_of_account ON case_opinions (account_id) WHERE account_id IS NOT NULL;

-- Which pictures a reviewer looked at, and for how long.
CREATE TABLE case_views (
    id          UUID             NOT NULL PRIMARY KEY,
    case_id     UUID             NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    account_id  UUID,
    reviewer_id UUID             NOT NULL,
    picture     TEXT             NOT NULL,
    seconds     DOUBLE PRECISION NOT NULL,
    viewed_at   TIMESTAMPTZ      NOT NULL
);
CREATE INDEX case_views_of_reviewer ON case_views (reviewer_id, viewed_at);
CREATE INDEX case_views_of_case ON case_views (case_id);
CREATE INDEX case_views_of_account ON case_views (account_id) WHERE account_id IS NOT NULL;

-- What reviewers are told about the uploader.
CREATE INDEX contents_of_uploader ON contents (uploader_id) WHERE uploader_id IS NOT NULL;
