// Package jobs is the work that nobody waits for. Its packages are the index
// loop (index), which one leader per chain runs, and the workers of the job
// queue (retain).
//
// Like the facades, jobs call domain services and declare what else they
// need as small interfaces; they never import repo.
package jobs
