-- Blind tokens; see docs/ANONYMITY.md.

-- Keys that sign blindly, one for each age and time. Nothing here says who asked for a token, or where one was redeemed.
CREATE TABLE age_issuer_keys (
    -- SHA-256 of the public half, as tokens name it.
    id         BYTEA       NOT NULL PRIMARY KEY,
    sandbox    BOOLEAN     NOT NULL,
    -- The age that it stands for, years.
    years      BIGINT      NOT NULL,
    public_key BYTEA       NOT NULL,
    sealed     BYTEA       NOT NULL,
    signs_from TIMESTAMPTZ NOT NULL,
    -- From when another signs for this age.
    next_at    TIMESTAMPTZ NOT NULL,
    -- Until when its tokens count.
    ends_at    TIMESTAMPTZ NOT NULL,
    -- How many tokens it signed.
    issued     BIGINT      NOT NULL,
    UNIQUE (sandbox, years, signs_from)
);

-- Tokens that were redeemed, so that none is twice; each as long as its key counts. No time, no session, no business.
CREATE TABLE age_tokens_spent (
    -- SHA-256 of what was signed.
    id        BYTEA       NOT NULL PRIMARY KEY,
    -- The end of its key, the same for all tokens of it.
    forget_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX age_tokens_spent_by_age ON age_tokens_spent (forget_at);
