-- usable-from: 38
-- When an application was allowed timestamps that are no wall clock time: requests from before have such timestamps, and their
-- nonces are forgotten. NULL: it is not, or was by an older build; then every request with an older wall clock time is refused.
ALTER TABLE applications ADD COLUMN unclocked_since TIMESTAMPTZ;
