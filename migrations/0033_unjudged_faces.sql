-- usable-from: 17
-- The most faces of one picture that were found and not judged, because so many are not.
ALTER TABLE moderations ADD COLUMN unjudged_faces BIGINT NOT NULL DEFAULT 0;
