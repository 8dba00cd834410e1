-- The owners of keys and sessions.
CREATE TABLE workspaces (
    id         text        PRIMARY KEY,     -- workspace.find, key.find, session.find
    name       text        NOT NULL UNIQUE, -- workspace.find, workspace.list; one process makes a name
    plan       text        NOT NULL CHECK (plan IN ('standard', 'wallet')),
    created_at timestamptz NOT NULL
);

-- API keys. Of a key's secret there is only a hash under a pepper.
CREATE TABLE api_keys (
    public_id         text        PRIMARY KEY, -- key.find: every request; key.use
    workspace         text        NOT NULL REFERENCES workspaces (id),
    environment       text        NOT NULL CHECK (environment IN ('live', 'test')),
    label             text        NOT NULL,
    permissions       text[]      NOT NULL,
    budgets           jsonb,      -- class to number, where they differ from the usual ones
    is_default        boolean     NOT NULL,
    hash              bytea       NOT NULL CHECK (octet_length(hash) = 32),
    pepper_generation integer     NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz,
    revoked_at        timestamptz,
    last_used_at      timestamptz
);

-- key.list, and the keys of a workspace whose plan changes.
CREATE INDEX api_keys_of_workspace ON api_keys (workspace, (revoked_at IS NOT NULL), created_at DESC, public_id);

-- key.retire: the default key of a workspace, of which there is at most one.
CREATE UNIQUE INDEX api_keys_default ON api_keys (workspace) WHERE is_default AND revoked_at IS NULL;

-- Sessions. Of a session's secret there is only a hash under a session key.
CREATE TABLE sessions (
    id         text        PRIMARY KEY, -- session.find: every request of a session
    workspace  text        NOT NULL REFERENCES workspaces (id),
    subject    text        NOT NULL,
    hash       bytea       NOT NULL CHECK (octet_length(hash) = 32),
    generation integer     NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX sessions_expiry ON sessions (expires_at);      -- session.forget
CREATE INDEX sessions_of_workspace ON sessions (workspace); -- the sessions of a workspace whose plan changes

-- Who changed what. Rows are written with the change and never touched again.
CREATE TABLE audit_log (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        timestamptz NOT NULL,
    actor     text        NOT NULL,
    action    text        NOT NULL,
    workspace text        NOT NULL, -- no reference: the log outlives what it tells of
    subject   text        NOT NULL,
    details   jsonb
);
CREATE INDEX audit_log_of_workspace ON audit_log (workspace, id); -- audit.list

CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();
