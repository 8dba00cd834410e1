DROP TABLE census_generations, census_holders, census_snapshots, census_holds, census_policies, census_epochs;
ALTER TABLE tokens DROP COLUMN census_due;
