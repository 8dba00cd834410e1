// Package jobs is the work that nobody waits for. Its packages are the index
// loop (index), which one leader per chain runs, the workers of the job queue
// (census, markets, materialise, metadata, retain, summaries), and what operators
// ask for (fsck, rederive).
//
// Like the facades, jobs call domain services and declare what else they
// need as small interfaces; they never import repo.
package jobs
