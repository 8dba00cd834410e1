GRANT EXECUTE ON FUNCTION verifications_advance_epoch() TO PUBLIC;
CREATE OR REPLACE FUNCTION verifications_advance_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    changed  smallint := coalesce(NEW.chain, OLD.chain);
    advanced bigint;
BEGIN
    INSERT INTO fact_epochs AS known (chain, epoch) VALUES (changed, 1)
    ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1
    RETURNING epoch INTO advanced;
    PERFORM pg_notify('fact_epochs', CASE changed WHEN 1 THEN 'SN_MAIN' ELSE 'SN_SEPOLIA' END || ' ' || advanced);
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION verification_receipts_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'verification receipts are never changed or deleted';
    END IF;
    IF current_user <> 'astrolabe_controller' THEN
        RAISE EXCEPTION 'only the role astrolabe_controller adds verification receipts, not %', current_user;
    END IF;
    IF NEW.receipt_id <> (SELECT coalesce(max(receipt_id), 0) + 1 FROM verification_receipts) THEN
        RAISE EXCEPTION 'verification receipts are numbered without gaps, and % is not the next number', NEW.receipt_id;
    END IF;
    RETURN NEW;
END $$;
ALTER FUNCTION verification_log_only_grows() RESET search_path;
ALTER FUNCTION verification_keys_only_end() RESET search_path;
ALTER FUNCTION verification_job_moved() RESET search_path;
ALTER FUNCTION verification_history_only_grows() RESET search_path;
DROP TRIGGER verification_history_follows ON verification_history;
DROP TRIGGER verification_job_moves ON verification_jobs;
DROP TRIGGER verification_job_begins ON verification_jobs;
DROP FUNCTION verification_history_follows();
DROP FUNCTION verification_jobs_move();
