DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^event_positions_[0-9]+$' AND pg_table_is_visible(oid) LOOP
        EXECUTE format('DROP TABLE %I', name);
    END LOOP;
END $$;
DROP TABLE event_certificates;
