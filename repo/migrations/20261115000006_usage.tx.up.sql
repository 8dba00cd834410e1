-- How often each key used each route, by the hour. Only the rows of the last
-- hours change, often: a page has room for new versions of them, and no index
-- holds what changes. Workspaces and keys are not referenced: counting must
-- not wait for them, and the past stays as it was.
CREATE TABLE usage_hours (
    workspace text        COLLATE "C" NOT NULL,
    hour      timestamptz NOT NULL, -- its beginning
    public_id text        COLLATE "C" NOT NULL, -- empty for sessions
    route     text        COLLATE "C" NOT NULL, -- the template
    class     text        COLLATE "C" NOT NULL, -- account.Class
    code      text        COLLATE "C" NOT NULL, -- domain.Code; empty for successes
    requests  bigint      NOT NULL CHECK (requests > 0),
    last_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace, hour, public_id, route, class, code) -- usage.count; usage.total, usage.keys, usage.parts
) WITH (fillfactor = 70);
CREATE INDEX usage_hours_day ON usage_hours (((hour AT TIME ZONE 'UTC')::date)); -- usage.forget_hours

-- Recent requests, each by itself, for a short time. No secrets, bodies, paths
-- or queries.
CREATE TABLE usage_requests (
    at         timestamptz NOT NULL,
    workspace  text        COLLATE "C" NOT NULL,
    public_id  text        COLLATE "C" NOT NULL, -- empty for sessions
    route      text        COLLATE "C" NOT NULL, -- the template
    method     text        COLLATE "C" NOT NULL,
    class      text        COLLATE "C" NOT NULL,
    status     smallint    NOT NULL,
    code       text        COLLATE "C" NOT NULL, -- empty for successes
    request_id text        COLLATE "C" NOT NULL,
    took_us    bigint      NOT NULL -- microseconds
);
CREATE INDEX usage_requests_newest ON usage_requests (workspace, at); -- usage.requests
CREATE INDEX usage_requests_failed ON usage_requests (workspace, at) WHERE code <> ''; -- usage.failures: few among many
-- usage.forget_requests. By the day: the many equal entries take little room,
-- and a report is not tempted to search all workspaces by time.
CREATE INDEX usage_requests_day ON usage_requests (((at AT TIME ZONE 'UTC')::date));
