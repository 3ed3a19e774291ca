-- Signed records of what was decided about an image; never the image. Written only when audit.decisions is on.

CREATE TABLE decisions (
    id         UUID        NOT NULL PRIMARY KEY,
    app_id     UUID        NOT NULL,
    made_at    TIMESTAMPTZ NOT NULL,
    record     TEXT        NOT NULL,
    signature  BYTEA       NOT NULL
);
CREATE INDEX decisions_of_application ON decisions (app_id, made_at);
