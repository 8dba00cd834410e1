-- The transparency log of receipts: the stored hashes of golang.org/x/mod/sumdb/tlog.
-- The first hash of leaf i is that of the receipt i+1.
CREATE TABLE verification_log_hashes (
    index bigint PRIMARY KEY CHECK (index >= 0), -- verification.log_hashes; from 0, without gaps
    hash  bytea  NOT NULL CHECK (length(hash) = 32)
);
-- The states of the log that were signed, one for each integration.
CREATE TABLE verification_log_checkpoints (
    size      bigint      PRIMARY KEY CHECK (size > 0), -- verification.log_checkpoint; verification.log_newest
    root      bytea       NOT NULL CHECK (length(root) = 32),
    note      text        NOT NULL, -- the signed text
    signed_at timestamptz NOT NULL
);
-- A state is only signed again, when a new key replaces the one that signed it.
CREATE FUNCTION verification_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'verification_log_checkpoints' AND TG_OP = 'UPDATE' AND TG_LEVEL = 'ROW' THEN
        IF (OLD.size, OLD.root) = (NEW.size, NEW.root) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the log of verification receipts only grows';
END $$;
CREATE TRIGGER verification_log_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON verification_log_hashes
    FOR EACH STATEMENT EXECUTE FUNCTION verification_log_only_grows();
CREATE TRIGGER verification_log_only_grows BEFORE UPDATE ON verification_log_checkpoints
    FOR EACH ROW EXECUTE FUNCTION verification_log_only_grows();
CREATE TRIGGER verification_log_stays BEFORE DELETE OR TRUNCATE ON verification_log_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION verification_log_only_grows();
