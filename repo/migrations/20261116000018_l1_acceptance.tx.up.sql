-- The newest block that is accepted on L1, by its hash as well as its number.
-- The hash is unknown in rows that an older release wrote.
ALTER TABLE chain_heads ADD COLUMN l1_block_hash bytea;
