-- usable-from: 17
-- What one application may take, so that the others get theirs. NULL: what the configuration says; 0: no limit.
ALTER TABLE applications ADD COLUMN calls_per_minute BIGINT;
ALTER TABLE applications ADD COLUMN burst BIGINT;
ALTER TABLE applications ADD COLUMN running_jobs BIGINT;
ALTER TABLE applications ADD COLUMN waiting_jobs BIGINT;
ALTER TABLE applications ADD COLUMN live_streams BIGINT;
ALTER TABLE applications ADD COLUMN stored_bytes BIGINT;

-- How many calls of an application's window the processes have reserved.
CREATE TABLE call_windows (
    app_id    UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    starts_at TIMESTAMPTZ NOT NULL,
    ends_at   TIMESTAMPTZ NOT NULL,
    reserved  BIGINT      NOT NULL,
    PRIMARY KEY (app_id, starts_at)
);
CREATE INDEX call_windows_by_end ON call_windows (ends_at);

-- Bytes of the files that a row refers to, before encryption.
ALTER TABLE faces ADD COLUMN image_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE identity_sessions ADD COLUMN media_bytes BIGINT NOT NULL DEFAULT 0;

-- The sums of these, changed in the same transactions.
CREATE TABLE stored_files (
    app_id UUID   NOT NULL PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
    bytes  BIGINT NOT NULL
);
