-- usable-from: 17
-- A dismissal ("not this person") knows where it comes from, how far it reaches, and can be undone. Those made before know
-- none of that.
ALTER TABLE negative_labels ADD COLUMN notification_id UUID;
-- The content in which the face was seen.
ALTER TABLE negative_labels ADD COLUMN content_id UUID;
-- The distance between that face and the nearest one of the profile.
ALTER TABLE negative_labels ADD COLUMN distance DOUBLE PRECISION;
-- The member or API key who dismissed it.
ALTER TABLE negative_labels ADD COLUMN user_id UUID;
CREATE UNIQUE INDEX negative_labels_of_notification ON negative_labels (notification_id);
CREATE INDEX negative_labels_of_content ON negative_labels (content_id);

-- Labels that were removed, for the processes that have them in memory.
CREATE TABLE negative_label_removals (
    account_id UUID        NOT NULL,
    seq        BIGINT      NOT NULL,
    label_id   UUID        NOT NULL,
    removed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, seq, label_id)
);
CREATE INDEX negative_label_removals_by_time ON negative_label_removals (removed_at);
