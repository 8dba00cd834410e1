DO $$
DECLARE of record;
BEGIN
    FOR of IN SELECT format('activity_%s_%s', chain, from_block) AS name, state FROM index_ranges WHERE state <> 'loading' LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', of.name || '_address');
        IF of.state = 'ready' THEN
            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (address, block, tx)', of.name || '_address', of.name);
        END IF;
    END LOOP;
END $$;

DROP TABLE labels;
