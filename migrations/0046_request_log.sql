-- usable-from: 17
-- Which requests applications made lately: what of each, and never its content.
CREATE TABLE request_log (
    -- The id of the request, as its answer had it in `X-Request-Id`.
    id           UUID        NOT NULL PRIMARY KEY,
    app_id       UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    interface    TEXT        NOT NULL,
    operation    TEXT        NOT NULL,
    status       BIGINT      NOT NULL,
    error_code   TEXT,
    microseconds BIGINT      NOT NULL,
    received_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX request_log_of_application ON request_log (app_id, received_at, id);
CREATE INDEX request_log_by_time ON request_log (received_at);

-- How many there were of each interface and day (UTC).
CREATE TABLE request_days (
    app_id    UUID        NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
    day       TIMESTAMPTZ NOT NULL,
    interface TEXT        NOT NULL,
    calls     BIGINT      NOT NULL,
    -- Those that were answered with a status from 400 on.
    refused   BIGINT      NOT NULL,
    PRIMARY KEY (app_id, day, interface)
);
CREATE INDEX request_days_by_time ON request_days (day);
