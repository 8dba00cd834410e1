DROP INDEX tokens_name;
DROP INDEX tokens_symbol;
DROP TABLE fact_epochs;
