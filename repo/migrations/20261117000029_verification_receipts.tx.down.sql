ALTER TABLE index_checkpoints DROP COLUMN genesis;
DROP TABLE verification_outbox, verification_receipts, verification_controllers, verification_keys;
DROP FUNCTION verification_receipts_only_grow();
DROP FUNCTION verification_keys_only_end();
