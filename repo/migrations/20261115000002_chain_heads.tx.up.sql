-- One leader per chain indexes; whoever holds an older epoch cannot write.
CREATE TABLE index_leases (
    chain      text        PRIMARY KEY, -- lease.take: one row per chain
    holder     text        NOT NULL,
    epoch      bigint      NOT NULL,
    expires_at timestamptz NOT NULL
);

-- What the leader last learned of its chain's node, and how the index stands.
CREATE TABLE chain_heads (
    chain        text        PRIMARY KEY, -- head.record: one row per chain
    state        text        NOT NULL CHECK (state IN ('following', 'backfilling', 'halted')),
    reason_code  text,
    block_number bigint,
    block_hash   bytea,
    observed_at  timestamptz NOT NULL,
    CHECK ((block_number IS NULL) = (block_hash IS NULL))
);
