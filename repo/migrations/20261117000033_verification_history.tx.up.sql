-- The history of a job follows its state. A move writes its own row of history,
-- and a row without a move is refused, whoever adds it: when a statement has
-- ended, the last row of a history always has the state of its job, so there is
-- none left to add. These functions run with the privileges of their caller.
--
-- The functions of all triggers of verification find tables by the schema of
-- their own table, so that neither a search path nor a temporary table changes
-- what they read.
CREATE FUNCTION verification_jobs_move() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 0 THEN
            RAISE EXCEPTION 'a verification job begins with the state 0, not %', NEW.state;
        END IF;
    ELSIF NOT (OLD.state < 4 AND NEW.state = OLD.state + 1 OR OLD.state = 4 AND NEW.state IN (5, 6) -- verify.Moves
        OR OLD.state < 5 AND NEW.state IN (7, 8) OR OLD.state = 0 AND NEW.state = 9) THEN
        RAISE EXCEPTION 'a verification job does not move from the state % to %', OLD.state, NEW.state;
    END IF;
    EXECUTE format('INSERT INTO %1$I.verification_history (job, seq, state, at)
        SELECT $1, coalesce(max(seq), 0) + 1, $2, $3 FROM %1$I.verification_history WHERE job = $1', TG_TABLE_SCHEMA)
        USING NEW.id, NEW.state, NEW.updated_at;
    RETURN NULL;
END $$;
CREATE TRIGGER verification_job_begins AFTER INSERT ON verification_jobs
    FOR EACH ROW EXECUTE FUNCTION verification_jobs_move();
CREATE TRIGGER verification_job_moves AFTER UPDATE OF state ON verification_jobs
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION verification_jobs_move();

CREATE FUNCTION verification_history_follows() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    job_state  smallint;
    moved_at   timestamptz;
    last_seq   smallint;
    last_state smallint;
BEGIN
    EXECUTE format('SELECT state, updated_at FROM %I.verification_jobs WHERE id = $1', TG_TABLE_SCHEMA)
        INTO job_state, moved_at USING NEW.job;
    EXECUTE format('SELECT seq, state FROM %I.verification_history WHERE job = $1 ORDER BY seq DESC LIMIT 1', TG_TABLE_SCHEMA)
        INTO last_seq, last_state USING NEW.job;
    IF NEW.state IS DISTINCT FROM job_state OR NEW.at IS DISTINCT FROM moved_at
        OR NEW.seq <> coalesce(last_seq, 0) + 1 OR NEW.state IS NOT DISTINCT FROM last_state THEN
        RAISE EXCEPTION 'the history of verification jobs only grows with a move of the job';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER verification_history_follows BEFORE INSERT ON verification_history
    FOR EACH ROW EXECUTE FUNCTION verification_history_follows();

ALTER FUNCTION verification_history_only_grows() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION verification_job_moved() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION verification_keys_only_end() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION verification_log_only_grows() SET search_path = pg_catalog, pg_temp;

CREATE OR REPLACE FUNCTION verification_receipts_only_grow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    next bigint;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'verification receipts are never changed or deleted';
    END IF;
    IF current_user <> 'astrolabe_controller' THEN
        RAISE EXCEPTION 'only the role astrolabe_controller adds verification receipts, not %', current_user;
    END IF;
    EXECUTE format('SELECT coalesce(max(receipt_id), 0) + 1 FROM %I.verification_receipts', TG_TABLE_SCHEMA) INTO next;
    IF NEW.receipt_id <> next THEN
        RAISE EXCEPTION 'verification receipts are numbered without gaps, and % is not the next number', NEW.receipt_id;
    END IF;
    RETURN NEW;
END $$;

-- This one runs as its owner, so nobody else may attach it to a table.
CREATE OR REPLACE FUNCTION verifications_advance_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed  smallint := coalesce(NEW.chain, OLD.chain);
    advanced bigint;
BEGIN
    EXECUTE format('INSERT INTO %I.fact_epochs AS known (chain, epoch) VALUES ($1, 1)
        ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1 RETURNING epoch', TG_TABLE_SCHEMA)
        INTO advanced USING changed;
    PERFORM pg_notify('fact_epochs', CASE changed WHEN 1 THEN 'SN_MAIN' ELSE 'SN_SEPOLIA' END || ' ' || advanced);
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION verifications_advance_epoch() FROM PUBLIC;
