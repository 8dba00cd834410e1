-- Where blocks were undone, because the chain's node had others or an operator
-- wished it: the newest block that stayed, none when none did. Whoever follows
-- a chain remembers the newest fork that it knows of.
CREATE TABLE chain_forks (
    chain  smallint NOT NULL,
    number bigint   NOT NULL, -- counts the forks of the chain, from 1 on
    block  integer,
    hash   bytea,
    PRIMARY KEY (chain, number) -- fork.add, fork.after
);
