package verification

import (
	"context"

	"astrolabe/graph/cohort"
	"astrolabe/graph/resolver"
)

// Receipt returns the signed receipt as REST serves it, nil unless the job
// succeeded. It is read for all jobs of the result at once.
func (j *Job) Receipt(ctx context.Context) (*string, error) {
	id, has := j.receiptKey()
	if !has {
		return nil, nil
	}
	bodies := cohort.Once(j.peers, receiptsKind, func() *cohort.Batch[string, []byte] {
		return cohort.Load(ctx, j.peers.Cache, cohort.Keys(j.peers, (*Job).receiptKey), cohort.Fact[string, []byte]{
			Kind: receiptsKind, Read: cohort.All(j.resolver.VerificationReceipts.OfJobs),
		})
	})
	body, err := bodies.Get(id)
	if err != nil {
		return nil, err
	}
	return new(string(body)), nil
}

var receiptsKind = cohort.Kind{Name: "receipt of a verification job"}

// receiptKey returns the ID of a job that has a receipt.
func (j *Job) receiptKey() (id string, has bool) { return j.JobID, j.ReceiptID != nil }

// join makes the jobs that one read returned a cohort, whose receipts are read at
// once.
func join(r *resolver.Resolver, jobs []*Job) {
	peers := cohort.New(new(cohort.Cache), jobs)
	for _, job := range jobs {
		job.resolver, job.peers = r, peers
	}
}
