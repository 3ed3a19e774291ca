-- usable-from: 38
-- Who sent an invitation: it can be accepted as long as they could still send it. NULL: somebody with a shell on the server, or
-- an older build.

-- A member of the account, or an API key of its application.
ALTER TABLE invitations ADD COLUMN invited_by UUID;

-- An operator.
ALTER TABLE operator_invitations ADD COLUMN invited_by UUID REFERENCES operators (id);
CREATE INDEX operator_invitations_of_inviter ON operator_invitations (invited_by);
