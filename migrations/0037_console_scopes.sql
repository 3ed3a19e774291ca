-- usable-from: 17
-- What a member may do in the console beyond the scopes of content moderation.
ALTER TABLE members ADD COLUMN console_scopes JSONB NOT NULL DEFAULT '[]';
ALTER TABLE invitations ADD COLUMN console_scopes JSONB NOT NULL DEFAULT '[]';
