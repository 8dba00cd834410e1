-- A verification record changes the source of its class's event names, so it
-- starts a new epoch of the chain's facts, as epoch.advance does. The function
-- runs as its owner, so that whoever adds a record needs no permission on
-- fact_epochs; temporary tables come last, so that none can take its place.
CREATE FUNCTION verifications_advance_epoch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    changed  smallint := coalesce(NEW.chain, OLD.chain);
    advanced bigint;
BEGIN
    INSERT INTO fact_epochs AS known (chain, epoch) VALUES (changed, 1)
    ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1
    RETURNING epoch INTO advanced;
    PERFORM pg_notify('fact_epochs', CASE changed WHEN 1 THEN 'SN_MAIN' ELSE 'SN_SEPOLIA' END || ' ' || advanced);
    RETURN NULL;
END $$;
CREATE TRIGGER verifications_advance_epoch AFTER INSERT OR UPDATE OR DELETE ON verifications
    FOR EACH ROW EXECUTE FUNCTION verifications_advance_epoch();
