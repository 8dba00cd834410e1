ALTER TABLE index_checkpoints DROP COLUMN transactions_block, DROP COLUMN full_block;

DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT format('blocks_%s_%s', chain, from_block) AS name FROM index_ranges WHERE state <> 'ready' LOOP
        EXECUTE format('ALTER TABLE %I DROP COLUMN verification', r.name);
    END LOOP;
END $$;

ALTER TABLE blocks DROP COLUMN verification;
