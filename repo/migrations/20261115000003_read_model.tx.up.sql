-- The read model. A chain is a number here: 1 is SN_MAIN, 2 is SN_SEPOLIA.
--
-- Big tables are narrow: an address and a selector are ids of a dictionary, a
-- list of felts is one bytea of 32 bytes each, and a place is (block, tx, …).
-- They are partitioned by chain and then by ranges of blocks (index_ranges).
-- A range's tables get their indexes when the range is loaded, not here: see
-- repo/index/ranges.go, where each index stands beside the query that needs it.

-- Where the index of a chain stands. Rows and checkpoint change in one transaction.
CREATE TABLE index_checkpoints (
    chain           smallint PRIMARY KEY, -- checkpoint.read: one row per chain
    first_block     integer  NOT NULL,
    block           integer,
    hash            bytea,
    finalized_block integer,
    CHECK ((block IS NULL) = (hash IS NULL))
);

-- A range of blocks and the state of its tables. Only a ready one is attached
-- to the partitioned tables, so readers see none of the others.
CREATE TABLE index_ranges (
    chain      smallint NOT NULL,
    from_block integer  NOT NULL,
    to_block   integer, -- exclusive; not yet known while a range is loading
    state      text     NOT NULL CHECK (state IN ('loading', 'indexing', 'ready')),
    events     bigint   NOT NULL DEFAULT 0,
    PRIMARY KEY (chain, from_block), -- range.list
    CHECK (to_block IS NOT NULL OR state = 'loading')
);

-- Which version of each deriver made the rows.
CREATE TABLE deriver_versions (
    chain   smallint NOT NULL,
    fact    text     NOT NULL,
    version integer  NOT NULL,
    PRIMARY KEY (chain, fact) -- deriver.list
);

-- The dictionaries. Ids never leave this database and are never given twice.
CREATE TABLE addresses (
    chain smallint NOT NULL,
    id    integer  NOT NULL,
    felt  bytea    NOT NULL,
    PRIMARY KEY (chain, id),  -- every read: id to felt
    UNIQUE (chain, felt)      -- dictionary.find: felt to id
);
CREATE TABLE selectors (
    chain smallint NOT NULL,
    id    integer  NOT NULL,
    felt  bytea    NOT NULL,
    PRIMARY KEY (chain, id),
    UNIQUE (chain, felt)
);

CREATE TABLE blocks (
    block       integer  NOT NULL,
    chain       smallint NOT NULL,
    l1_da_mode  smallint NOT NULL, -- 0 unknown, 1 CALLDATA, 2 BLOB
    timestamp   bigint   NOT NULL,
    tx_count    integer  NOT NULL,
    event_count integer  NOT NULL,
    hash        bytea    NOT NULL,
    parent_hash bytea    NOT NULL,
    state_root  bytea    NOT NULL,
    sequencer   bytea    NOT NULL,
    prices      bytea    NOT NULL, -- six felts: L1 gas in wei and FRI, L1 data gas, L2 gas
    version     text     NOT NULL
) PARTITION BY LIST (chain);

CREATE TABLE transactions (
    block         integer  NOT NULL,
    tx            smallint NOT NULL,
    chain         smallint NOT NULL,
    sender        integer,            -- addresses.id
    contract      integer,            -- addresses.id
    selector      integer,            -- selectors.id
    type          smallint NOT NULL,  -- 1 INVOKE, 2 DECLARE, 3 DEPLOY, 4 DEPLOY_ACCOUNT, 5 L1_HANDLER
    version       smallint NOT NULL,
    reverted      boolean  NOT NULL,
    fee_in_fri    boolean  NOT NULL,
    signature_len smallint NOT NULL,
    l1_gas        bigint   NOT NULL,
    l1_data_gas   bigint   NOT NULL,
    l2_gas        bigint   NOT NULL,
    fee           numeric(78) NOT NULL,
    nonce         numeric(78),
    hash          bytea    NOT NULL,
    class         bytea,
    calldata      bytea    NOT NULL,
    revert_reason bytea
) PARTITION BY LIST (chain);

CREATE TABLE events (
    block    integer  NOT NULL,
    tx       smallint NOT NULL,
    log      smallint NOT NULL,
    address  integer  NOT NULL, -- addresses.id
    selector integer,           -- selectors.id of the first key; null without keys
    chain    smallint NOT NULL,
    keys     smallint NOT NULL, -- how many keys there are, the first one included
    payload  bytea    NOT NULL  -- the keys after the first, then the data
) PARTITION BY LIST (chain);

CREATE TABLE messages (
    block     integer  NOT NULL,
    tx        smallint NOT NULL,
    idx       smallint NOT NULL,
    chain     smallint NOT NULL,
    to_l1     boolean  NOT NULL,
    contract  integer  NOT NULL, -- addresses.id of the L2 contract
    selector  integer,           -- selectors.id
    nonce     numeric(78),
    hash      bytea    NOT NULL,
    l1_address bytea   NOT NULL,
    payload   bytea    NOT NULL
) PARTITION BY LIST (chain);

CREATE TABLE transfers (
    block    integer  NOT NULL,
    tx       smallint NOT NULL,
    log      smallint NOT NULL,
    idx      smallint NOT NULL,
    standard smallint NOT NULL, -- 1 ERC-20, 2 ERC-721, 3 ERC-1155
    token    integer  NOT NULL, -- addresses.id
    sender   integer  NOT NULL, -- addresses.id
    receiver integer  NOT NULL, -- addresses.id
    chain    smallint NOT NULL,
    amount   numeric(78),
    token_id numeric(78)
) PARTITION BY LIST (chain);

CREATE TABLE activity (
    address integer  NOT NULL, -- addresses.id
    block   integer  NOT NULL,
    tx      smallint NOT NULL,
    kinds   smallint NOT NULL, -- facts.Kinds
    items   integer  NOT NULL,
    chain   smallint NOT NULL
) PARTITION BY LIST (chain);

DO $$
DECLARE noun text;
BEGIN
    FOREACH noun IN ARRAY ARRAY['blocks', 'transactions', 'events', 'messages', 'transfers', 'activity'] LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (1) PARTITION BY RANGE (block)', noun || '_1', noun);
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (2) PARTITION BY RANGE (block)', noun || '_2', noun);
    END LOOP;
END $$;

-- Hash to place, for the blocks, transactions and messages of ready ranges.
-- The tag is eight bytes of the hash; whoever finds a place compares the rest.
CREATE TABLE locators (
    tag   bigint   NOT NULL,
    block integer  NOT NULL,
    tx    smallint NOT NULL, -- 0 for a block
    kind  smallint NOT NULL, -- 1 block, 2 transaction, 3 message
    chain smallint NOT NULL
);
CREATE INDEX locators_tag ON locators (tag); -- block.locate, transaction.locate, message.locate

CREATE FUNCTION locator_tag(hash bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substr(hash, 9, 8), 'hex'))::bit(64)::bigint;

-- Classes by their hash, with the ABI as it was declared.
CREATE TABLE classes (
    chain    smallint NOT NULL,
    id       integer  NOT NULL,
    block    integer  NOT NULL, -- the first indexed block that names it
    standard smallint NOT NULL, -- 0 none, else as in transfers
    sierra   boolean  NOT NULL,
    account  boolean  NOT NULL,
    missing  boolean  NOT NULL, -- the node does not have it
    hash     bytea    NOT NULL,
    abi      bytea,
    PRIMARY KEY (chain, id),  -- joins from contract_classes
    UNIQUE (chain, hash)      -- class.find
);
CREATE INDEX classes_block ON classes (chain, block); -- undo

CREATE TABLE event_schemas (
    chain       smallint NOT NULL,
    class       integer  NOT NULL, -- classes.id
    ordinal     smallint NOT NULL,
    selector    integer  NOT NULL, -- selectors.id
    ambiguous   boolean  NOT NULL,
    name        text     NOT NULL,
    path        text[]   NOT NULL,
    fields      jsonb    NOT NULL,
    unsupported text,
    PRIMARY KEY (chain, class, ordinal) -- schema.events
);
CREATE INDEX event_schemas_selector ON event_schemas (chain, selector, name); -- is an event's name unique?

CREATE TABLE function_schemas (
    chain       smallint NOT NULL,
    class       integer  NOT NULL, -- classes.id
    ordinal     smallint NOT NULL,
    selector    integer  NOT NULL, -- selectors.id
    view        boolean  NOT NULL,
    l1_handler  boolean  NOT NULL,
    name        text     NOT NULL,
    inputs      jsonb    NOT NULL,
    outputs     jsonb    NOT NULL,
    unsupported text,
    PRIMARY KEY (chain, class, ordinal) -- schema.functions
);
CREATE INDEX function_schemas_selector ON function_schemas (chain, selector, name); -- is a function's name unique?

CREATE TABLE declarations (
    chain    smallint NOT NULL,
    class    integer  NOT NULL, -- classes.id
    block    integer  NOT NULL,
    tx       smallint,
    compiled bytea,
    PRIMARY KEY (chain, block, class) -- declarations of a block; undo
);
CREATE INDEX declarations_class ON declarations (chain, class); -- when was a class declared?

-- The class of a contract from a block on; "observed" ones were in force before.
CREATE TABLE contract_classes (
    chain   smallint NOT NULL,
    address integer  NOT NULL, -- addresses.id
    block   integer  NOT NULL,
    origin  smallint NOT NULL, -- 0 observed, 1 deployed, 2 replaced
    class   integer  NOT NULL, -- classes.id
    PRIMARY KEY (chain, address, block, origin) -- class.in_force
);
CREATE INDEX contract_classes_block ON contract_classes (chain, block); -- changes of a block; undo
CREATE INDEX contract_classes_class ON contract_classes (chain, class, address); -- contracts of a class

CREATE TABLE deployments (
    chain    smallint NOT NULL,
    address  integer  NOT NULL, -- addresses.id
    block    integer  NOT NULL,
    tx       smallint,
    evidence smallint NOT NULL, -- 0 state difference, 1 deployer's event, 2 transaction
    class    integer  NOT NULL, -- classes.id
    deployer integer,           -- addresses.id
    PRIMARY KEY (chain, address, block) -- deployment of a contract
);
CREATE INDEX deployments_block ON deployments (chain, block); -- deployments of a block; undo

-- Contracts that are tokens, and what they say of themselves. The metadata
-- comes from a job and is no part of the chain's facts.
CREATE TABLE tokens (
    chain             smallint NOT NULL,
    address           integer  NOT NULL, -- addresses.id
    block             integer  NOT NULL, -- the first indexed block that shows it as a token
    standard          smallint NOT NULL,
    name              text,
    symbol            text,
    decimals          smallint,
    metadata_block    integer,
    metadata_at       timestamptz,
    metadata_due      timestamptz NOT NULL DEFAULT '-infinity', -- when it is to be read next
    PRIMARY KEY (chain, address) -- token.find; token.describe
);
CREATE INDEX tokens_block ON tokens (chain, block); -- tokens of a block; undo
CREATE INDEX tokens_due ON tokens (chain, metadata_due); -- token.claim

ALTER TABLE chain_heads
    ADD COLUMN finality_depth bigint,
    ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN l1_block_number bigint,
    ADD COLUMN l1_observed_at timestamptz;
