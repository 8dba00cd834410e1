DROP TABLE prove_budgets, prove_jobs;
DROP SEQUENCE prove_places;
