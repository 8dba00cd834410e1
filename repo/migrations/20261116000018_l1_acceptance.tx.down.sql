ALTER TABLE chain_heads DROP COLUMN l1_block_hash;
