package main

import (
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/verify"
	"astrolabe/repo/onchain"
	verifystore "astrolabe/repo/verify"
)

// verificationJobs returns the service of verification jobs for background work.
func (d *deployment) verificationJobs() *verify.Jobs {
	classes := chain.NewClasses(onchain.NewClasses(d.db.DB))
	statuses := chain.NewStatuses(onchain.NewHeads(d.db.DB), statusFreshness)
	jobs := verify.NewJobs(verifystore.NewJobs(d.db.DB), classes, statuses, time.Now)
	jobs.OnMove(d.countMove)
	return jobs
}

// countMove counts a move of a verification job.
func (d *deployment) countMove(to verify.State) { d.metrics.VerificationMove(string(to)) }
