-- usable-from: 17
-- How a moderation ended, or that it waits, is told like everything else. Builds of before know fewer reasons: to them these
-- are STOPPED in `reason`.
ALTER TABLE notifications ADD COLUMN precise_reason TEXT;
CREATE INDEX moderations_unfinished ON moderations (created_at) WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING');
