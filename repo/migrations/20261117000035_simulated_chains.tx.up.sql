-- Whether the chain of an index is one that the program simulates itself; NULL in
-- indexes that began before this column. checkpoint.read
ALTER TABLE index_checkpoints ADD COLUMN simulated boolean;

-- The duration of a lease at its last renewal, in milliseconds. Its holder renews it four times as
-- often, so a leader that died is noticed before the lease ends. head.list
ALTER TABLE index_leases ADD COLUMN lasts_ms bigint;

-- The progress of the backfill of a chain, while there is one.
CREATE TABLE backfills (
    chain       text        PRIMARY KEY, -- backfill.record; head.list: one row per chain
    from_block  bigint      NOT NULL, -- the first block that was missing when it began
    to_block    bigint      NOT NULL, -- the last one
    done_blocks bigint      NOT NULL, -- a block without indexes counts as three quarters
    eta_seconds bigint
);
