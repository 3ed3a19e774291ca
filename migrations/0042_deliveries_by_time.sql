-- usable-from: 17
-- The newest deliveries of all applications, page by page.
CREATE INDEX deliveries_by_time ON deliveries (created_at, id);
