-- usable-from: 17
-- Whose work it is, so that no application takes what others need; NULL: the server's own.
ALTER TABLE jobs ADD COLUMN app_id UUID;
UPDATE jobs SET app_id = (SELECT a.app_id FROM accounts a WHERE a.id = jobs.account_id);
CREATE INDEX jobs_due_by_application ON jobs (lane, app_id, run_at) WHERE state = 'WAITING';

-- Which applications have messages that are due.
CREATE INDEX deliveries_due_by_application ON deliveries (app_id, next_at) WHERE state = 'WAITING';
