-- The keys that sign receipts. They are never deleted: the trust root lists them
-- all.
CREATE TABLE verification_keys (
    key_id            text        PRIMARY KEY, -- verification.key; verification.key_register; verification.key_end
    public_key        bytea       NOT NULL UNIQUE CHECK (length(public_key) = 32),
    environment       text        NOT NULL CHECK (environment IN ('production', 'demo')),
    toolchain_name    text        NOT NULL,
    toolchain_version text        NOT NULL,
    toolchain_digest  text        NOT NULL,
    not_before        timestamptz NOT NULL,
    not_after         timestamptz CHECK (not_after >= not_before),
    revoked_at        timestamptz
);
CREATE FUNCTION verification_keys_only_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND
        (OLD.key_id, OLD.public_key, OLD.environment, OLD.toolchain_name, OLD.toolchain_version, OLD.toolchain_digest, OLD.not_before) =
        (NEW.key_id, NEW.public_key, NEW.environment, NEW.toolchain_name, NEW.toolchain_version, NEW.toolchain_digest, NEW.not_before) AND
        (OLD.not_after IS NULL OR OLD.not_after = NEW.not_after) AND (OLD.revoked_at IS NULL OR OLD.revoked_at = NEW.revoked_at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a signing key can only be retired or revoked, once';
END $$;
CREATE TRIGGER verification_keys_only_end BEFORE UPDATE OR DELETE ON verification_keys
    FOR EACH ROW EXECUTE FUNCTION verification_keys_only_end();
CREATE TRIGGER verification_keys_stay BEFORE TRUNCATE ON verification_keys
    FOR EACH STATEMENT EXECUTE FUNCTION verification_keys_only_end();

-- The processes that admit receipts, as they last described themselves.
CREATE TABLE verification_controllers (
    id                text        PRIMARY KEY, -- verification.controller_report
    key_id            text        NOT NULL, -- empty while it has none
    environment       text        NOT NULL, -- production or demo
    toolchain_name    text        NOT NULL,
    toolchain_version text        NOT NULL,
    toolchain_digest  text        NOT NULL,
    ready             boolean     NOT NULL,
    reason_code       text        NOT NULL, -- empty when it is ready
    reason            text        NOT NULL,
    seen_at           timestamptz NOT NULL
);

-- The admitted receipts. Nobody changes one, and only the controller adds one.
CREATE TABLE verification_receipts (
    receipt_id bigint      PRIMARY KEY CHECK (receipt_id > 0), -- verification.receipt_next; from 1, without gaps
    job        text        NOT NULL UNIQUE REFERENCES verification_jobs (id),
    chain      smallint    NOT NULL,
    class      bytea       NOT NULL,
    key_id     text        NOT NULL REFERENCES verification_keys (key_id),
    digest     text        NOT NULL UNIQUE, -- the receiptDigest
    issued_at  timestamptz NOT NULL,
    body       text        NOT NULL -- the receipt as it was signed
);
CREATE FUNCTION verification_receipts_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER verification_receipts_only_grow BEFORE INSERT ON verification_receipts
    FOR EACH ROW EXECUTE FUNCTION verification_receipts_only_grow();
CREATE TRIGGER verification_receipts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON verification_receipts
    FOR EACH STATEMENT EXECUTE FUNCTION verification_receipts_only_grow();

-- The receipts that the transparency log does not have yet.
CREATE TABLE verification_outbox (
    receipt_id bigint PRIMARY KEY REFERENCES verification_receipts (receipt_id)
);

-- The hash of block 0 of the chain that the index was made from; null while the
-- node has not told. It goes with the index.
ALTER TABLE index_checkpoints ADD COLUMN genesis bytea;
