-- The logins that were used: each is good for one attempt.
CREATE TABLE used_logins (
    id         bytea       PRIMARY KEY CHECK (octet_length(id) = 32), -- login.use: one process wins a login
    expires_at timestamptz NOT NULL
);
CREATE INDEX used_logins_expiry ON used_logins (expires_at); -- login.forget

-- A session also ends when it is not used for idle_seconds.
ALTER TABLE sessions ADD COLUMN idle_seconds integer CHECK (idle_seconds > 0), ADD COLUMN last_used_at timestamptz;
