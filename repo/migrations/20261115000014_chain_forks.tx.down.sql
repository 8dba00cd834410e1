DROP TABLE chain_forks;
