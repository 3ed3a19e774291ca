-- usable-from: 17
-- What an erasure reaches: messages about a person or session, and the pictures of faces.

-- Whom or what a message is about: sessions, moderations, profiles. When one is erased, so is what the message says.
CREATE TABLE delivery_subjects (
    subject_id  UUID NOT NULL,
    delivery_id UUID NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    PRIMARY KEY (subject_id, delivery_id)
);
CREATE INDEX delivery_subjects_of_delivery ON delivery_subjects (delivery_id);

-- The key of a face's picture, sealed with the key of its profile. NULL: the picture is sealed with the installation's key.
ALTER TABLE faces ADD COLUMN picture_key BYTEA;
-- Whether the picture is sealed with that key for certain. Pictures of before there were such keys are sealed again, and
-- until that is done either key may open them.
ALTER TABLE faces ADD COLUMN picture_key_used BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX faces_to_seal_again ON faces (id) WHERE image AND NOT picture_key_used;
