DROP TRIGGER verification_job_added ON verification_jobs;
DROP TRIGGER verification_job_moved ON verification_jobs;
DROP FUNCTION verification_job_moved();
DROP INDEX verification_jobs_builds, verification_jobs_comparing;
DELETE FROM verification_builders; -- each describes itself again
ALTER TABLE verification_builders DROP COLUMN measures;
ALTER TABLE verification_builders ADD COLUMN environment text NOT NULL;
DROP TABLE verification_candidates, verification_builds;
