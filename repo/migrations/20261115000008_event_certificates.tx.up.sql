-- Which events can be found by the key of a position, over which finalized
-- blocks. The rows of a certificate are in a table of its own,
-- event_positions_<id> (value, block, tx, log): the key at the position and the
-- place of the event. An id is never given twice, so that rows of a certificate
-- that was discarded are never taken for another's. See repo/events.
CREATE TABLE event_certificates (
    id            bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- certificate.lock
    chain         smallint NOT NULL,
    selector      bytea    NOT NULL, -- the first key
    position      smallint NOT NULL CHECK (position BETWEEN 1 AND 15),
    status        text     NOT NULL DEFAULT 'building' CHECK (status IN ('building', 'ready', 'failed')),
    from_block    integer,           -- null while nothing is covered, as through_block
    through_block integer,
    rows          bigint   NOT NULL DEFAULT 0,
    digest        numeric,           -- of all rows, when they were last equal to the events
    verified_at   timestamptz,       -- when that was
    maintained_at timestamptz,       -- when a worker last looked after it
    UNIQUE (chain, selector, position), -- certificate.list; certificate.declare
    CHECK ((from_block IS NULL) = (through_block IS NULL))
);
