-- What contract pages need beyond the read model itself.

-- A message list in one direction follows an index, also of ranges that exist.
DO $$
DECLARE leaf text;
BEGIN
    FOR leaf IN SELECT format('messages_%s_%s', chain, from_block) FROM index_ranges WHERE state = 'ready' LOOP
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (to_l1, block, tx, idx)', leaf || '_direction', leaf);
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (contract, to_l1, block, tx, idx)', leaf || '_contract_direction', leaf);
    END LOOP;
END $$;

-- The contracts of a class are listed by block.
DROP INDEX contract_classes_class;
CREATE INDEX contract_classes_class ON contract_classes (chain, class, block); -- class.uses

-- Classes that were rebuilt exactly from source, one row per signed receipt.
CREATE TABLE verifications (
    chain          smallint    NOT NULL,
    class          bytea       NOT NULL, -- the hash: it outlives the class's id
    receipt_id     bigint      NOT NULL CHECK (receipt_id > 0),
    issued_at      timestamptz NOT NULL,
    key_id         text        NOT NULL,
    receipt_digest text        NOT NULL,
    PRIMARY KEY (chain, class, receipt_id) -- verification.of
);

-- The pools that known factories created in finalized blocks, once for each of
-- their tokens, as far as each factory's events were read.
CREATE TABLE market_pools (
    chain   smallint NOT NULL,
    token   bytea    NOT NULL,
    block   integer  NOT NULL,
    tx      smallint NOT NULL,
    log     smallint NOT NULL,
    factory bytea    NOT NULL,
    pool    bytea    NOT NULL,
    paired  bytea    NOT NULL,
    class   bytea, -- that the pool was deployed with in that block; null when it was not
    fee_bps integer,
    PRIMARY KEY (chain, token, block, tx, log) -- market.pools
);
CREATE INDEX market_pools_block ON market_pools (chain, block); -- undo
CREATE INDEX market_pools_factory ON market_pools (chain, factory); -- market.forget
CREATE TABLE market_scans (
    chain    smallint NOT NULL,
    factory  bytea    NOT NULL,
    registry text     NOT NULL, -- the digest of the factory's entry: another one begins again
    block    integer  NOT NULL, -- everything up to this place was read
    tx       smallint NOT NULL,
    log      smallint NOT NULL,
    PRIMARY KEY (chain, factory) -- market.scan
);
