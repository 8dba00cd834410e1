-- What a token's finalized transfers add up to, up to one block of each chain.
-- The sums, the parties and that block change in one transaction.
CREATE TABLE token_summaries (
    chain     smallint NOT NULL,
    token     integer  NOT NULL, -- addresses.id
    transfers bigint   NOT NULL,
    senders   bigint   NOT NULL, -- how many of token_parties have sent
    receivers bigint   NOT NULL, -- how many of them have received
    PRIMARY KEY (chain, token) -- token.summaries; summary.add
);

-- Who has sent or received a token at least once: what makes counts of
-- distinct addresses exact.
CREATE TABLE token_parties (
    chain    smallint NOT NULL,
    token    integer  NOT NULL, -- addresses.id
    address  integer  NOT NULL, -- addresses.id
    sent     boolean  NOT NULL,
    received boolean  NOT NULL,
    PRIMARY KEY (chain, token, address) -- token.summaries; summary.add
);

-- Up to which block the sums go. Each chain has a row from the beginning, so
-- that whoever adds to the sums or undoes their blocks waits for the other.
CREATE TABLE token_summary_checkpoints (
    chain      smallint PRIMARY KEY, -- token.summaries; summary.lock
    block      integer,              -- null: there are no sums, whatever the tables hold
    updated_at timestamptz
);
INSERT INTO token_summary_checkpoints (chain) VALUES (1), (2);

-- What tokens said of their supply at a finalized block.
ALTER TABLE tokens
    ADD COLUMN supply       numeric(78),
    ADD COLUMN supply_block integer,
    ADD COLUMN supply_due   timestamptz NOT NULL DEFAULT '-infinity', -- when it is to be read next
    ADD CHECK ((supply IS NULL) = (supply_block IS NULL));
CREATE INDEX tokens_supply_due ON tokens (chain, supply_due); -- supply.claim

-- The ranges that are ready get the indexes that repo/index/ranges.go has got.
DO $$
DECLARE of record;
BEGIN
    FOR of IN SELECT format('transfers_%s_%s', chain, from_block) AS name FROM index_ranges WHERE state = 'ready' LOOP
        EXECUTE format('CREATE INDEX %I ON %I (sender, token, block, tx, log, idx)', of.name || '_sender_token', of.name);
        EXECUTE format('CREATE INDEX %I ON %I (receiver, token, block, tx, log, idx)', of.name || '_receiver_token', of.name);
    END LOOP;
END $$;
