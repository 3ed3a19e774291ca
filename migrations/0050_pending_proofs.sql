-- usable-from: 38
-- Verifications that wait for an issuer, so that those whose job is gone are found without reading the others.
CREATE INDEX proofs_pending ON proofs (id) WHERE status = 'PENDING';
