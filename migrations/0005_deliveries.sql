-- Messages to applications' own servers; see docs/ARCHITECTURE.md, "A delivery's life". The row is the queue: it is
-- leased, tried and rescheduled in place.

CREATE TABLE deliveries (
    id           UUID        NOT NULL PRIMARY KEY,
    app_id       UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    topic        TEXT        NOT NULL,
    -- Whose health it depends on: the application and the host.
    endpoint     TEXT        NOT NULL,
    -- Address, headers and body, encrypted: they carry tokens and results about people.
    sealed       BYTEA       NOT NULL,
    state        TEXT        NOT NULL,
    -- Attempts since the schedule began, and all there ever were.
    tries        BIGINT      NOT NULL,
    attempts     JSONB       NOT NULL,
    begun_at     TIMESTAMPTZ NOT NULL,
    next_at      TIMESTAMPTZ NOT NULL,
    worker       UUID,
    leased_until TIMESTAMPTZ,
    created_at   TIMESTAMPTZ NOT NULL,
    ended_at     TIMESTAMPTZ
);
CREATE INDEX deliveries_due ON deliveries (endpoint, next_at) WHERE state = 'WAITING';
CREATE INDEX deliveries_leased ON deliveries (leased_until) WHERE state = 'RUNNING';
CREATE INDEX deliveries_of_application ON deliveries (app_id, created_at);
CREATE INDEX deliveries_ended ON deliveries (ended_at);

-- What deliveries are signed with; the newest, and older ones until they retire.
CREATE TABLE webhook_secrets (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    sealed     BYTEA       NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    retires_at TIMESTAMPTZ
);
CREATE INDEX webhook_secrets_of_application ON webhook_secrets (app_id, created_at);
