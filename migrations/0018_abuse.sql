-- usable-from: 17
-- How often something was done that costs the operator money or could be abused to find something out: one-time codes
-- that were sent, cards that a provider was asked about. Each row counts for 24 hours from its first use.
CREATE TABLE usage_counters (
    -- What is counted, and for whom: a number, a card, an application, …
    kind      TEXT        NOT NULL,
    -- HMAC-SHA256 of whom, under a key of the installation: it names nobody.
    subject   BYTEA       NOT NULL,
    used      BIGINT      NOT NULL,
    forget_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (kind, subject)
);
CREATE INDEX usage_counters_by_age ON usage_counters (forget_at);

-- Tokens of secure capture under which a photo of an age session was taken; each counts once.
CREATE TABLE used_capture_tokens (
    id        UUID        NOT NULL PRIMARY KEY,
    forget_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX used_capture_tokens_by_age ON used_capture_tokens (forget_at);
