ALTER TABLE index_checkpoints DROP COLUMN simulated;
