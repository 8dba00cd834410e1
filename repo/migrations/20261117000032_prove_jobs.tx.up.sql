-- Proof jobs. Of a body there are only keyed digests, and of a result nothing.
CREATE SEQUENCE prove_places;
CREATE TABLE prove_jobs (
    id                 text        PRIMARY KEY, -- prove.find; prove.lock; prove.beat
    number             bigint      GENERATED ALWAYS AS IDENTITY, -- the order of lists
    workspace          text        NOT NULL REFERENCES workspaces (id),
    key_id             text        NOT NULL, -- of the API key that submitted it last; no reference: jobs outlive keys
    idempotency_digest bytea, -- HMAC-SHA-256; NULL after 30 days
    request_digest     bytea, -- HMAC-SHA-256; NULL after 30 days
    status             smallint    NOT NULL, -- prove.Statuses; those below 2 are not terminal
    attempt_count      integer     NOT NULL,
    error_code         bigint,     -- the prover's, of failed jobs; other statuses have an error of the relay or none
    result_state       smallint    NOT NULL, -- prove.ResultStates; 1 is held by the holder's memory
    holder             text        NOT NULL, -- the process that accepted it last
    holder_address     text        NOT NULL, -- where other processes reach it; empty if nowhere
    heartbeat_at       timestamptz NOT NULL DEFAULT now(), -- of the holder, by the clock of the database
    place              bigint      NOT NULL DEFAULT nextval('prove_places'), -- a new one each time it is queued
    created_at         timestamptz NOT NULL,
    queued_at          timestamptz NOT NULL,
    dispatched_at      timestamptz,
    completed_at       timestamptz, -- set when the status is terminal
    CONSTRAINT prove_jobs_key UNIQUE (workspace, idempotency_digest), -- prove.by_key
    CHECK (octet_length(idempotency_digest) = 32 AND octet_length(request_digest) = 32),
    CHECK ((idempotency_digest IS NULL) = (request_digest IS NULL)),
    CHECK ((status >= 2) = (completed_at IS NOT NULL)),
    CHECK ((status = 3) = (error_code IS NOT NULL)),
    CHECK (status IN (2, 3) OR result_state = 0)
);
CREATE INDEX prove_jobs_of_workspace ON prove_jobs (workspace, number);                                  -- prove.list
CREATE INDEX prove_jobs_of_key ON prove_jobs (key_id) WHERE status < 2;                                  -- prove.load
CREATE INDEX prove_jobs_queue ON prove_jobs (holder, place) WHERE status = 0;                            -- prove.position; prove.load
CREATE INDEX prove_jobs_silent ON prove_jobs (heartbeat_at) WHERE status < 2 OR result_state = 1;        -- prove.sweep
CREATE INDEX prove_jobs_digests ON prove_jobs (created_at) WHERE idempotency_digest IS NOT NULL AND status >= 2; -- prove.forget

-- How many jobs a key created in a UTC day.
CREATE TABLE prove_budgets (
    key_id text        NOT NULL,
    day    timestamptz NOT NULL,
    used   bigint      NOT NULL,
    PRIMARY KEY (key_id, day) -- prove.load; prove.debit
);
