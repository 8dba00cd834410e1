-- Base digests now cover how far a block was verified, so that earlier ones do
-- not hold. A new column is empty without rewriting the table.
ALTER TABLE blocks DROP COLUMN base_digest;
ALTER TABLE blocks ADD COLUMN base_digest bytea;

-- Detached tables of ranges do not follow the partitioned table.
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('blocks_%s_%s', chain, from_block) FROM index_ranges WHERE state <> 'ready' LOOP
        EXECUTE format('ALTER TABLE %I DROP COLUMN base_digest', leaf);
        EXECUTE format('ALTER TABLE %I ADD COLUMN base_digest bytea', leaf);
    END LOOP;
END $$;
