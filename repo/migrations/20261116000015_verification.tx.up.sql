-- How far each block was checked against its own hashes when it was indexed.
-- 0 unverified, 1 transactions, 2 full. Earlier blocks were not checked.
ALTER TABLE blocks ADD COLUMN verification smallint NOT NULL DEFAULT 0;

-- Tables of ranges that are not ready are not attached to blocks yet.
DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT format('blocks_%s_%s', chain, from_block) AS name FROM index_ranges WHERE state <> 'ready' LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN verification smallint NOT NULL DEFAULT 0', r.name);
    END LOOP;
END $$;

-- The newest block up to which every indexed block reached the level; null when
-- the first one did not. status reads them with the checkpoint.
ALTER TABLE index_checkpoints
    ADD COLUMN transactions_block integer,
    ADD COLUMN full_block         integer;
