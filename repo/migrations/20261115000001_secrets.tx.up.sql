-- The keys that a deployment makes for itself, sealed under its master key.
CREATE TABLE secrets (
    purpose        text        NOT NULL,
    generation     integer     NOT NULL CHECK (generation > 0),
    master_id      bytea       NOT NULL,
    box            bytea       NOT NULL,
    created_at     timestamptz NOT NULL,
    honoured_until timestamptz,
    PRIMARY KEY (purpose, generation) -- secrets.add: one process wins a generation
);
