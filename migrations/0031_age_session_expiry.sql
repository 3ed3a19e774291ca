-- usable-from: 31
-- Sessions that ran out before they had a result are noted by a job. Builds before know no state `EXPIRED`, and cannot read a
-- session that has it.
CREATE INDEX age_sessions_to_expire ON age_sessions (until_at, id) WHERE state IN ('PENDING', 'IN_PROGRESS');
