ALTER TABLE sessions DROP COLUMN idle_seconds, DROP COLUMN last_used_at;
DROP TABLE used_logins;
