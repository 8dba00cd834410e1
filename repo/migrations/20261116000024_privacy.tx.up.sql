-- The contracts whose events are kept as events of a privacy pool. Rows of
-- privacy_events are derived for these; a change of the list needs them derived
-- again.
CREATE TABLE privacy_pools (
    chain   smallint NOT NULL,
    address integer  NOT NULL, -- addresses.id
    PRIMARY KEY (chain, address) -- privacy.pools
);

-- The events of privacy pools, read by the class in force at their block.
CREATE TABLE privacy_events (
    chain   smallint NOT NULL,
    block   integer  NOT NULL,
    tx      smallint NOT NULL,
    log     smallint NOT NULL,
    variant smallint NOT NULL, -- facts.PoolVariants
    reading smallint NOT NULL, -- 0 whole, 1 malformed, 2 its class is not available
    pool    integer  NOT NULL, -- addresses.id
    party   integer,           -- addresses.id: the user, recipient, depositor or invoked contract
    token   integer,           -- addresses.id
    amount  numeric(78),
    note    bytea,             -- the ID of a note, or a nullifier
    PRIMARY KEY (chain, block, tx, log) -- privacy.events; privacy.above; undo
);
CREATE INDEX privacy_events_variant ON privacy_events (chain, variant, block, tx, log); -- privacy.events of one name; privacy.fee_settings
CREATE INDEX privacy_events_commitments ON privacy_events (chain, pool, block, tx, log) WHERE variant IN (4, 6); -- privacy.commitments
CREATE INDEX privacy_events_nullifiers ON privacy_events (chain, pool, block, tx, log) WHERE variant = 7; -- privacy.nullifiers
CREATE INDEX privacy_events_unread ON privacy_events (chain, block) WHERE reading = 2; -- privacy.end

-- Where the flow ledger of a chain stands. Everything below changes with it in
-- one transaction. Each chain has a row from the beginning, so that a change of
-- the ledger and an undo of its blocks wait for each other.
CREATE TABLE privacy_ledgers (
    chain           smallint PRIMARY KEY, -- privacy.ledger; privacy.lock
    block           integer,  -- the newest block that it includes; null: it is empty, whatever the tables hold
    hash            bytea,
    timestamp       bigint,   -- of that block
    target          integer,  -- the newest finalized block when it was last extended
    checked_at      timestamptz, -- when it was last compared with the finalized blocks
    materialized_at timestamptz, -- when it last changed
    first_block     integer,  -- of the first event of a pool
    first_timestamp bigint,
    hour            bigint,   -- the newest published hour
    flow_block      integer,  -- the place of the newest flow
    flow_tx         smallint,
    flow_log        smallint,
    event_block     integer,  -- the place of the newest event
    event_tx        smallint,
    event_log       smallint,
    transactions    bigint NOT NULL DEFAULT 0, -- with events of a pool
    wallets         bigint NOT NULL DEFAULT 0, -- rows of privacy_wallets
    missing         bigint NOT NULL DEFAULT 0, -- flows without an amount, those of no known token included
    fees            numeric(78) NOT NULL DEFAULT 0 -- what pools charged, in STRK
);
INSERT INTO privacy_ledgers (chain) VALUES (1), (2);

-- How many finalized events there are.
CREATE TABLE privacy_counts (
    chain   smallint NOT NULL,
    pool    integer  NOT NULL, -- addresses.id
    variant smallint NOT NULL,
    events  bigint   NOT NULL,
    PRIMARY KEY (chain, pool, variant) -- privacy.counts
);

-- Wallets that have set a viewing key, by the block of the first one.
CREATE TABLE privacy_wallets (
    chain   smallint NOT NULL,
    address integer  NOT NULL, -- addresses.id
    block   integer  NOT NULL,
    PRIMARY KEY (chain, address) -- privacy.wallets
);

-- The finalized flows of each token through each pool.
CREATE TABLE privacy_assets (
    chain       smallint NOT NULL,
    token       integer  NOT NULL, -- addresses.id
    pool        integer  NOT NULL, -- addresses.id
    deposited   numeric(78) NOT NULL,
    withdrawn   numeric(78) NOT NULL,
    deposits    bigint   NOT NULL,
    withdrawals bigint   NOT NULL,
    missing     bigint   NOT NULL,
    block       integer  NOT NULL, -- the place of the newest flow
    tx          smallint NOT NULL,
    log         smallint NOT NULL,
    PRIMARY KEY (chain, token, pool) -- privacy.assets
);
CREATE INDEX privacy_assets_newest ON privacy_assets (chain, block, tx, log); -- privacy.newest_assets

-- The ledger at the end of each finalized hour. Rows never change.
CREATE TABLE privacy_points (
    chain           smallint NOT NULL,
    hour            bigint   NOT NULL, -- its start, in Unix seconds
    block           integer  NOT NULL, -- the last one before the hour's end
    hash            bytea    NOT NULL,
    timestamp       bigint   NOT NULL,
    materialized_at timestamptz NOT NULL,
    flow_block      integer,
    flow_tx         smallint,
    flow_log        smallint,
    pools           integer  NOT NULL, -- how many pools had events
    tokens          integer  NOT NULL, -- how many tokens had flowed
    missing         bigint   NOT NULL,
    PRIMARY KEY (chain, hour) -- privacy.points
);
CREATE TABLE privacy_point_assets (
    chain       smallint NOT NULL,
    hour        bigint   NOT NULL,
    token       integer  NOT NULL, -- addresses.id
    deposited   numeric(78) NOT NULL,
    withdrawn   numeric(78) NOT NULL,
    deposits    bigint   NOT NULL,
    withdrawals bigint   NOT NULL,
    missing     bigint   NOT NULL,
    PRIMARY KEY (chain, hour, token) -- privacy.point_assets
);

-- What happened in an hour, a day and a week. Only those with events have rows.
CREATE TABLE privacy_buckets (
    chain       smallint NOT NULL,
    width       smallint NOT NULL, -- 0 hour, 1 day, 2 week from Monday
    start       bigint   NOT NULL, -- in Unix seconds
    wallets     bigint   NOT NULL, -- with their first viewing key
    wallets_sum bigint   NOT NULL, -- up to the end of this bucket
    deposits    bigint   NOT NULL,
    withdrawals bigint   NOT NULL,
    notes_used  bigint   NOT NULL,
    block       integer  NOT NULL, -- of the newest event
    PRIMARY KEY (chain, width, start) -- privacy.buckets
);
CREATE TABLE privacy_bucket_flows (
    chain         smallint NOT NULL,
    width         smallint NOT NULL,
    token         integer  NOT NULL, -- addresses.id
    start         bigint   NOT NULL,
    deposited     numeric(78) NOT NULL,
    withdrawn     numeric(78) NOT NULL,
    deposited_sum numeric(78) NOT NULL, -- up to the end of this bucket
    withdrawn_sum numeric(78) NOT NULL,
    block         integer  NOT NULL, -- of the newest flow
    PRIMARY KEY (chain, width, token, start) -- privacy.bucket_flows
);
CREATE TABLE privacy_bucket_fees (
    chain      smallint NOT NULL,
    width      smallint NOT NULL,
    token      integer  NOT NULL, -- addresses.id
    start      bigint   NOT NULL,
    amount     numeric(78) NOT NULL,
    amount_sum numeric(78) NOT NULL, -- up to the end of this bucket
    transfers  bigint   NOT NULL,
    block      integer  NOT NULL, -- of the newest fee
    PRIMARY KEY (chain, width, token, start) -- privacy.bucket_fees
);
