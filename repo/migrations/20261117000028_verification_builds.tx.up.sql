-- The last attempt at building each job, which is a lease while the job is
-- building: its builder renews it, and another one takes it over when that
-- stopped.
CREATE TABLE verification_builds (
    job        text        PRIMARY KEY REFERENCES verification_jobs (id), -- build.lease
    builder    text        NOT NULL, -- verification_builders.id
    attempt    smallint    NOT NULL, -- from 1
    claimed_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL  -- of the last renewal
);

-- The classes that were built and are not compared yet. A row is deleted in the
-- transaction that ends its job.
CREATE TABLE verification_candidates (
    job      text        PRIMARY KEY REFERENCES verification_jobs (id),
    class    bytea       NOT NULL, -- the Sierra class as JSON
    built_at timestamptz NOT NULL,
    CHECK (octet_length(class) <= 16777216)
);

-- The environment of receipts is that of the key that signs them, which builders
-- do not know. They do know what their sandbox enforces.
ALTER TABLE verification_builders DROP COLUMN environment;
ALTER TABLE verification_builders ADD COLUMN measures jsonb NOT NULL DEFAULT '[]'; -- a list of {name, by}

CREATE INDEX verification_jobs_builds ON verification_jobs (number) WHERE state IN (2, 3);  -- build.find; verification.due
CREATE INDEX verification_jobs_comparing ON verification_jobs (number) WHERE state = 4; -- verification.comparing

-- Listeners learn the ID of every job whose state is new.
CREATE FUNCTION verification_job_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('astrolabe_verification', NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER verification_job_added AFTER INSERT ON verification_jobs
    FOR EACH ROW EXECUTE FUNCTION verification_job_moved();
CREATE TRIGGER verification_job_moved AFTER UPDATE OF state ON verification_jobs
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION verification_job_moved();
