DROP TABLE untyped_transfers;
DROP TABLE contract_implementations;
