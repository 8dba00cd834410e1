-- What fsck needs to notice without the node that a stored row was changed,
-- added or removed. Rows from before have null: repair fills it in after the
-- node has confirmed them.

-- facts.BaseDigest of the block, which commits with its rows.
ALTER TABLE blocks ADD COLUMN base_digest bytea;

-- facts.Class.Digest.
ALTER TABLE classes ADD COLUMN digest bytea;

-- Which felt an id was given to.
ALTER TABLE addresses ADD COLUMN checksum integer;
ALTER TABLE selectors ADD COLUMN checksum integer;

CREATE FUNCTION dictionary_checksum(id integer, felt bytea) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substr(sha256(int4send(id) || felt), 1, 4), 'hex'))::bit(32)::integer;

-- Detached tables of ranges do not get columns from the partitioned table.
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('blocks_%s_%s', chain, from_block) FROM index_ranges WHERE state <> 'ready' LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN base_digest bytea', leaf);
    END LOOP;
END $$;
