-- usable-from: 17
-- References of profiles are found by a keyed hash, because they are sealed. It is NULL where an older build wrote the profile,
-- until a job has made up for it, and empty where there is no reference.
ALTER TABLE profiles ADD COLUMN reference_hash BYTEA;
CREATE INDEX profiles_by_reference ON profiles (account_id, reference_hash);
CREATE INDEX profiles_without_reference_hash ON profiles (id) WHERE reference_hash IS NULL AND active;
