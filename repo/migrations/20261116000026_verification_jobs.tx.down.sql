DROP TABLE verification_builders, verification_creates, verification_sources, verification_history, verification_jobs;
DROP FUNCTION verification_history_only_grows();
