-- How many of a job's runs never ended, because their process died or was stopped: those are no failures of the job.

ALTER TABLE jobs ADD COLUMN interruptions BIGINT NOT NULL DEFAULT 0;
