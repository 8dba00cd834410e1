-- What contract pages need beyond the read model itself.

-- A message list in one direction follows an index, also of ranges that exist.
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('messages_%s_%s', chain, from_block) FROM index_ranges WHERE state = 'ready' LOOP
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (to_l1, block, tx, idx)', leaf || '_direction', leaf);
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (contract, to_l1, block, tx, idx)', leaf || '_contract_direction', leaf);
    END LOOP;
END $$;

-- The contracts of a class are listed by block.
DROP INDEX contract_classes_class;
CREATE INDEX contract_classes_class ON contract_classes (chain, class, block); -- class.uses

-- Classes that were rebuilt exactly from source, one row per signed receipt.
CREATE TABLE verifications (
    chain          smallint    NOT NULL,
    class          bytea       NOT NULL, -- the hash: it outlives the class's id
    receipt_id     bigint      NOT NULL CHECK (receipt_id > 0),
    issued_at      timestamptz NOT NULL,
    key_id         text        NOT NULL,
    receipt_digest text        NOT NULL,
    PRIMARY KEY (chain, class, receipt_id) -- verification.of
);
