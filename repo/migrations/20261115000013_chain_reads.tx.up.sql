-- How often facts of final blocks were changed here, which only an operator
-- does. Whoever remembers facts remembers of which epoch they are.
CREATE TABLE fact_epochs (
    chain smallint PRIMARY KEY, -- epoch.advance, head.list: one row per chain
    epoch bigint   NOT NULL
);

-- search.tokens: the tokens whose symbol or name begins with a text, in
-- whatever case. Symbols and names are short, and most tokens have both.
CREATE INDEX tokens_symbol ON tokens (chain, lower(symbol) text_pattern_ops, block, address);
CREATE INDEX tokens_name ON tokens (chain, lower(name) text_pattern_ops, block, address);
