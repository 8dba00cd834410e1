DROP TABLE market_scans;
DROP TABLE market_pools;
DROP TABLE verifications;
DROP INDEX contract_classes_class;
CREATE INDEX contract_classes_class ON contract_classes (chain, class, address);
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('messages_%s_%s', chain, from_block) FROM index_ranges LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', leaf || '_direction');
        EXECUTE format('DROP INDEX IF EXISTS %I', leaf || '_contract_direction');
    END LOOP;
END $$;
