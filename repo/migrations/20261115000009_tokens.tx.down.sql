DO $$
DECLARE of record;
BEGIN
    FOR of IN SELECT format('transfers_%s_%s', chain, from_block) AS name FROM index_ranges LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', of.name || '_sender_token');
        EXECUTE format('DROP INDEX IF EXISTS %I', of.name || '_receiver_token');
    END LOOP;
END $$;
ALTER TABLE tokens DROP COLUMN supply_due, DROP COLUMN supply_block, DROP COLUMN supply;
DROP TABLE token_summary_checkpoints;
DROP TABLE token_parties;
DROP TABLE token_summaries;
