DROP TABLE chain_heads;
DROP TABLE index_leases;
