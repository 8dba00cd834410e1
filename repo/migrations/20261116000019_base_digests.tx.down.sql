DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('blocks_%s_%s', chain, from_block) FROM index_ranges WHERE state <> 'ready' LOOP
        EXECUTE format('ALTER TABLE %I DROP COLUMN base_digest', leaf);
    END LOOP;
END $$;
DROP FUNCTION dictionary_checksum(integer, bytea);
ALTER TABLE selectors DROP COLUMN checksum;
ALTER TABLE addresses DROP COLUMN checksum;
ALTER TABLE classes DROP COLUMN digest;
ALTER TABLE blocks DROP COLUMN base_digest;
