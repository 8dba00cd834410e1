DROP TABLE verification_log_checkpoints, verification_log_hashes;
DROP FUNCTION verification_log_only_grows();
-- The log is made again from the receipts when the schema is migrated up again.
INSERT INTO verification_outbox (receipt_id) SELECT receipt_id FROM verification_receipts ON CONFLICT DO NOTHING;
