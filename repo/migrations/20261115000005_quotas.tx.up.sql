-- How much of its budgets each caller has used: one row per caller and class.
-- The table is unlogged: a take must be on record before it is answered, but
-- need not survive a crash of the server, after which all budgets are whole.
-- A page has room for new versions of its rows, which change often; no index
-- holds what changes.
CREATE UNLOGGED TABLE quotas (
    kind    text   COLLATE "C" NOT NULL, -- account.Kind
    subject text   COLLATE "C" NOT NULL,
    class   text   COLLATE "C" NOT NULL, -- account.Class
    budget  bigint NOT NULL CHECK (budget > 0), -- per window, as of the last grant
    at      bigint NOT NULL, -- Unix time in nanoseconds, which timestamptz does not have
    debt    bigint NOT NULL, -- as of then; account.Meter says in what unit
    granted bigint NOT NULL, -- how many takes the last statement allowed
    advance bigint NOT NULL, -- and how much it gave in advance, which the debt includes
    PRIMARY KEY (kind, subject, class) -- quota.take, quota.read, quota.return
) WITH (fillfactor = 50);
