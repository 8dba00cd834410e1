// Command privacy measures the reads of privacy pools and the job that extends
// their flow ledger, at growing numbers of events.
//
// A short simulated chain is indexed first, so that everything that the service
// needs is there. Then synthetic blocks of one length of history follow, and the
// real job folds them. Of each read it reports the pages that its statements
// access, as pg_stat_statements counts them, and its times below HTTP.
package main
