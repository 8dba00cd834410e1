-- What PostGraphile serves: the blocks of SN_MAIN as a view of the very tables
-- that the program reads, with the keys that PostGraphile cannot see for
-- itself told by smart tags.
SET search_path TO astrolabe;
DROP SCHEMA IF EXISTS bench CASCADE;
CREATE SCHEMA bench;

-- The program finds a hash by its locators. PostGraphile is given an index on
-- what the view shows, so that it reads a block and its parent by one, too.
CREATE INDEX IF NOT EXISTS bench_hash ON blocks (('0x' || ltrim(encode(hash, 'hex'), '0')));

CREATE VIEW bench.blocks AS
SELECT block AS number,
       '0x' || ltrim(encode(hash, 'hex'), '0') AS hash,
       '0x' || ltrim(encode(parent_hash, 'hex'), '0') AS parent_hash,
       to_timestamp(timestamp) AS time,
       tx_count,
       event_count
FROM blocks
WHERE chain = 1;

COMMENT ON VIEW bench.blocks IS E'@primaryKey number\n@unique hash\n@foreignKey (parent_hash) references bench.blocks (hash)|@fieldName parent';
ANALYZE;
