-- What operators call addresses and classes. Every process reads it with each
-- request, so that a label counts at once.
CREATE TABLE labels (
    chain      smallint NOT NULL,
    subject    smallint NOT NULL CHECK (subject IN (1, 2)), -- 1 an address, 2 a class
    felt       bytea    NOT NULL,
    label      text     NOT NULL,
    protocol   text,
    kind       text     NOT NULL, -- of the protocol; empty when unknown
    confidence text     NOT NULL CHECK (confidence IN ('high', 'medium', 'low')),
    added_at   timestamptz NOT NULL,
    added_by   text     NOT NULL,
    PRIMARY KEY (chain, subject, felt) -- label.of, address.profiles
);
CREATE INDEX labels_text ON labels (chain, subject, lower(label) COLLATE "C", felt); -- label.find

-- The index of an address' activity covers what its lists and counts read, as
-- repo/index/ranges.go has it. A range whose indexes are being built makes its own.
DO $$
DECLARE of record;
BEGIN
    FOR of IN SELECT format('activity_%s_%s', chain, from_block) AS name, state FROM index_ranges WHERE state <> 'loading' LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', of.name || '_address');
        IF of.state = 'ready' THEN
            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (address, block, tx) INCLUDE (kinds, items)', of.name || '_address', of.name);
        END IF;
    END LOOP;
END $$;
