-- usable-from: 17
-- The most faces of one picture that were found and not judged, because so many are not.
ALTER TABLE moderations ADD COLUMN unjudged_faces BIGINT NOT NULL DEFAULT 0;
-- The user name and password that a camera demands; sealed.
ALTER TABLE contents ADD COLUMN sealed_credentials BYTEA;
