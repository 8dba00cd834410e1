-- What the proxy slots of a contract hold from a block on; "observed" ones were
-- set before. A slot that holds neither a class nor a contract is empty, or
-- holds something that is not on the chain.
CREATE TABLE contract_implementations (
    chain    smallint NOT NULL,
    address  integer  NOT NULL, -- addresses.id
    block    integer  NOT NULL,
    origin   smallint NOT NULL, -- 0 observed, 2 written in the block
    family   smallint NOT NULL, -- facts.ProxyFamilies
    class    integer,           -- classes.id of the class that is executed
    contract integer,           -- addresses.id of the contract whose class is executed
    PRIMARY KEY (chain, address, family, block, origin) -- implementation.around, implementation.history
);
CREATE INDEX contract_implementations_block ON contract_implementations (chain, block); -- implementations of a block; undo

-- Events of a block that may be transfers but that no known class explains, by
-- the addresses whose transfers they may be.
CREATE TABLE untyped_transfers (
    chain   smallint NOT NULL,
    address integer  NOT NULL, -- addresses.id
    part    smallint NOT NULL, -- 0 it emitted them, 1 it may be their sender or recipient
    block   integer  NOT NULL,
    events  integer  NOT NULL,
    PRIMARY KEY (chain, address, part, block) -- untyped.of
);
CREATE INDEX untyped_transfers_block ON untyped_transfers (chain, block); -- evidence of a block; undo
