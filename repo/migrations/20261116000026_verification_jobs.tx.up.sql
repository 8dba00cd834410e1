-- Verification jobs. A row is never deleted: it is the record of what was asked.
CREATE TABLE verification_jobs (
    id                  text        PRIMARY KEY, -- verification.find; verification.lock
    number              bigint      GENERATED ALWAYS AS IDENTITY, -- the order of lists
    chain               smallint    NOT NULL,
    workspace           text        NOT NULL REFERENCES workspaces (id),
    idempotency_key     text        NOT NULL,
    package             jsonb       NOT NULL, -- the 12 fields of Package V1, in canonical form
    state               smallint    NOT NULL, -- verify.States; those below 5 are not terminal
    failure_code        text,
    failure_message     text,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL, -- of the last row of its history
    upload_expires_at   timestamptz NOT NULL,
    source_committed_at timestamptz,
    source_expires_at   timestamptz, -- set with source_committed_at
    source_deleted_at   timestamptz,
    finished_at         timestamptz, -- set when the state is terminal
    build               jsonb,
    produced_class_hash bytea,
    receipt_id          bigint,
    CONSTRAINT verification_jobs_key UNIQUE (workspace, idempotency_key), -- verification.by_key
    CHECK ((state >= 5) = (finished_at IS NOT NULL)),
    CHECK ((source_committed_at IS NULL) = (source_expires_at IS NULL))
);
CREATE UNIQUE INDEX verification_jobs_active ON verification_jobs (workspace) WHERE state < 5; -- verification.active; verification.load; one active job per workspace
CREATE INDEX verification_jobs_of_workspace ON verification_jobs (workspace, chain, number);   -- verification.list
CREATE INDEX verification_jobs_uploads ON verification_jobs (upload_expires_at) WHERE state = 0; -- verification.due
CREATE INDEX verification_jobs_validating ON verification_jobs (updated_at) WHERE state = 1;    -- verification.due
CREATE INDEX verification_jobs_sources ON verification_jobs (source_expires_at) WHERE source_deleted_at IS NULL AND source_expires_at IS NOT NULL; -- verification.due

-- Every state of every job, from the first one on.
CREATE TABLE verification_history (
    job   text        NOT NULL REFERENCES verification_jobs (id),
    seq   smallint    NOT NULL, -- from 1
    state smallint    NOT NULL, -- verify.States
    at    timestamptz NOT NULL,
    PRIMARY KEY (job, seq) -- verification.history
);
CREATE FUNCTION verification_history_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the history of verification jobs only grows';
END $$;
CREATE TRIGGER verification_history_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON verification_history
    FOR EACH STATEMENT EXECUTE FUNCTION verification_history_only_grows();

-- The uploaded archives, in pieces of 256 KiB, until their retention ends.
CREATE TABLE verification_sources (
    job   text    NOT NULL REFERENCES verification_jobs (id),
    part  integer NOT NULL, -- from 0
    bytes bytea   NOT NULL,
    PRIMARY KEY (job, part) -- verification.source; verification.delete_source
);
ALTER TABLE verification_sources ALTER COLUMN bytes SET STORAGE EXTERNAL; -- they are compressed already

-- How many jobs a workspace created in a UTC day.
CREATE TABLE verification_creates (
    workspace text        NOT NULL REFERENCES workspaces (id),
    day       timestamptz NOT NULL,
    created   bigint      NOT NULL,
    PRIMARY KEY (workspace, day) -- verification.load; verification.count
);

-- The processes that build contracts, as they last described themselves.
CREATE TABLE verification_builders (
    id                text        PRIMARY KEY,
    toolchain_name    text        NOT NULL,
    toolchain_version text        NOT NULL,
    toolchain_digest  text        NOT NULL,
    environment       text        NOT NULL, -- production or demo
    ready             boolean     NOT NULL,
    reason_code       text        NOT NULL, -- empty when it is ready
    reason            text        NOT NULL,
    seen_at           timestamptz NOT NULL
);
