ALTER TABLE workspaces DROP COLUMN trace_certified;
