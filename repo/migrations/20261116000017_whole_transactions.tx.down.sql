DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN
        SELECT c.relname FROM index_ranges r
        JOIN pg_class c ON c.oid = to_regclass('transactions_' || r.chain || '_' || r.from_block)
        WHERE NOT c.relispartition
    LOOP
        EXECUTE format('ALTER TABLE %I DROP COLUMN envelope', leaf);
    END LOOP;
END $$;

ALTER TABLE transactions DROP COLUMN envelope;
