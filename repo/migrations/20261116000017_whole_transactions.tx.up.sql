-- What a sender signs beside the calls: signature, fee bounds, tip, modes, paymaster and deployment data, proof facts,
-- compiled class hash and salt, packed by model.Envelope. It is null in rows from before this column, for which the
-- indexer demands a new index.
ALTER TABLE transactions ADD COLUMN envelope bytea;

-- Ranges that are still loading are not partitions yet.
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN
        SELECT c.relname FROM index_ranges r
        JOIN pg_class c ON c.oid = to_regclass('transactions_' || r.chain || '_' || r.from_block)
        WHERE NOT c.relispartition
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN envelope bytea', leaf);
    END LOOP;
END $$;
