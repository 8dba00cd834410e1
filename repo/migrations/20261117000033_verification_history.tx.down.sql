DROP TRIGGER verification_history_follows ON verification_history;
DROP TRIGGER verification_job_moves ON verification_jobs;
DROP TRIGGER verification_job_begins ON verification_jobs;
DROP FUNCTION verification_history_follows();
DROP FUNCTION verification_jobs_move();
