-- usable-from: 17
-- Whether the face matched a profile when it was judged. That stays when the profile is deleted, and does not say whose it was.
-- Builds before do not write it; of their findings the profile says so, as long as it is there.
ALTER TABLE findings ADD COLUMN is_matched BOOLEAN NOT NULL DEFAULT FALSE;
-- Those whose profile is gone already: distances were kept of faces that matched somebody, and of no others.
UPDATE findings SET is_matched = TRUE
 WHERE profile_id IS NULL AND (is_banned OR measurements ->> 'distance' IS NOT NULL);
