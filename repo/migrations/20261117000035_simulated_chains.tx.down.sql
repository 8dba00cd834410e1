DROP TABLE backfills;
ALTER TABLE index_leases DROP COLUMN lasts_ms;
ALTER TABLE index_checkpoints DROP COLUMN simulated;
