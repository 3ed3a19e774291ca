-- usable-from: 17
-- Who did what: each record is chained to the one before it by its hash, and the end of the chain is signed.

CREATE TABLE audit_records (
    seq        BIGINT      NOT NULL PRIMARY KEY,
    made_at    TIMESTAMPTZ NOT NULL,
    -- The text whose hash is chained.
    record     TEXT        NOT NULL,
    -- SHA-256 of the hash of the record before and of the text, hexadecimal.
    hash       TEXT        NOT NULL
);
CREATE INDEX audit_records_by_time ON audit_records (made_at);

-- The two ends of the chain, in one row that also makes writers queue.
CREATE TABLE audit_chain (
    id          BIGINT NOT NULL PRIMARY KEY,
    last_seq    BIGINT NOT NULL,
    last_hash   TEXT   NOT NULL,
    -- The last record that was deleted because it was old; the first one left is chained to it.
    purged_seq  BIGINT NOT NULL,
    purged_hash TEXT   NOT NULL,
    -- Ed25519, hexadecimal; empty before the first record.
    signature   TEXT   NOT NULL
);
INSERT INTO audit_chain (id, last_seq, last_hash, purged_seq, purged_hash, signature)
VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000',
        0, '0000000000000000000000000000000000000000000000000000000000000000', '');
