-- Ranges that are not ready have tables of their own, attached to nothing.
DO $$
DECLARE
    noun text;
    r record;
BEGIN
    FOR r IN SELECT chain, from_block FROM index_ranges WHERE state <> 'ready' LOOP
        FOREACH noun IN ARRAY ARRAY['blocks', 'transactions', 'events', 'messages', 'transfers', 'activity'] LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I', noun || '_' || r.chain || '_' || r.from_block);
        END LOOP;
    END LOOP;
END $$;
ALTER TABLE chain_heads DROP COLUMN finality_depth, DROP COLUMN recorded_at, DROP COLUMN l1_block_number, DROP COLUMN l1_observed_at;
DROP TABLE tokens, deployments, contract_classes, declarations, function_schemas, event_schemas, classes;
DROP TABLE locators, activity, transfers, messages, events, transactions, blocks;
DROP FUNCTION locator_tag(bytea);
DROP TABLE selectors, addresses, deriver_versions, index_ranges, index_checkpoints;
