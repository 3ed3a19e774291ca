-- usable-from: 38
-- The numbers behind a notification about a face, as they were when it was written: those of its finding are replaced when the
-- appearance is judged again, and another person may be banned for it later. NULL: an older build wrote it.
ALTER TABLE notifications ADD COLUMN measurements JSONB;
