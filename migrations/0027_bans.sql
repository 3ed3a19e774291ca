-- usable-from: 17
-- When a ban ends by itself. Why it was imposed, and by whom, is among the profile's sealed details.
ALTER TABLE profiles ADD COLUMN ban_until TIMESTAMPTZ;
CREATE INDEX profiles_by_end_of_ban ON profiles (ban_until) WHERE ban_until IS NOT NULL;
