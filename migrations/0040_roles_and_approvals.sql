-- usable-from: 38
-- Roles that an account makes of scopes, and what operators ask their colleagues to approve.

CREATE TABLE member_roles (
    id             UUID        NOT NULL PRIMARY KEY,
    account_id     UUID        NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name           TEXT        NOT NULL,
    scopes         JSONB       NOT NULL,
    console_scopes JSONB       NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX member_roles_of_account ON member_roles (account_id, name);

-- A member has what their role has, and the scopes that they were given besides.
ALTER TABLE members ADD COLUMN role_id UUID REFERENCES member_roles (id);
CREATE INDEX members_of_role ON members (role_id);

-- Kept for a month after they were decided, or expired.
CREATE TABLE approvals (
    id           UUID        NOT NULL PRIMARY KEY,
    -- What would be done, and to what: ids, a name and scopes. Of a key that would be created, its hash.
    action       TEXT        NOT NULL,
    details      JSONB       NOT NULL,
    -- PENDING, APPROVED or REFUSED.
    state        TEXT        NOT NULL,
    requested_by UUID        NOT NULL REFERENCES operators (id),
    requested_at TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    decided_by   UUID        REFERENCES operators (id),
    decided_at   TIMESTAMPTZ
);
CREATE INDEX approvals_by_time ON approvals (requested_at);
CREATE INDEX approvals_of_requester ON approvals (requested_by);
CREATE INDEX approvals_of_decider ON approvals (decided_by);
