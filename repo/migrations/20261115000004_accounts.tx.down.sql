DROP TABLE audit_log;
DROP FUNCTION audit_log_only_grows;
DROP TABLE sessions;
DROP TABLE api_keys;
DROP TABLE workspaces;
