-- Work to be done; see docs/ARCHITECTURE.md, "A job's life". A job that is done is gone.

CREATE TABLE jobs (
    id           UUID        NOT NULL PRIMARY KEY,
    kind         TEXT        NOT NULL,
    -- At most one job of a kind has a key, as long as it is there.
    unique_key   TEXT,
    lane         TEXT        NOT NULL,
    payload      JSONB       NOT NULL,
    state        TEXT        NOT NULL,
    attempts     BIGINT      NOT NULL,
    run_at       TIMESTAMPTZ NOT NULL,
    worker       UUID,
    leased_until TIMESTAMPTZ,
    last_error   TEXT,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX jobs_due ON jobs (lane, state, run_at);
CREATE INDEX jobs_leased ON jobs (state, leased_until);
CREATE UNIQUE INDEX jobs_unique ON jobs (kind, unique_key);
