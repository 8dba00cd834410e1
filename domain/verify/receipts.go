package verify

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// ReceiptStore reads admitted receipts and the keys that sign them.
type ReceiptStore interface {
	// Receipts returns the receipt of each job as it was signed, in the order of
	// the IDs, nil without one.
	Receipts(ctx context.Context, jobs []string) ([][]byte, error)
	// SigningKeys returns every key, retired and revoked ones included, the oldest
	// first.
	SigningKeys(ctx context.Context) ([]receipt.Key, error)
}

// Receipts answers which receipts were signed, and with which keys.
type Receipts struct {
	store ReceiptStore
	jobs  *Jobs
}

// NewReceipts makes the service.
func NewReceipts(store ReceiptStore, jobs *Jobs) *Receipts { return &Receipts{store, jobs} }

// Of returns the receipt of a job as it was signed. It is not_found for the jobs
// for which Jobs.Of is, and for one that has not succeeded.
func (r *Receipts) Of(ctx context.Context, c domain.Chain, workspace, id string) ([]byte, error) {
	job, err := r.jobs.Of(ctx, c, workspace, id)
	if err != nil {
		return nil, err
	}
	if job.State != Succeeded {
		return nil, domain.Errorf(domain.CodeNotFound, "The verification job has no receipt: it is %s. Only a job that succeeded has one.", domain.Choice(job.State))
	}
	bodies, err := r.OfJobs(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return bodies[0], nil
}

// OfJobs returns the receipts of jobs that have succeeded as they were signed, in
// order. The caller has read the jobs before, so it may see their receipts.
func (r *Receipts) OfJobs(ctx context.Context, ids []string) ([][]byte, error) {
	bodies, err := r.store.Receipts(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if bodies[i] == nil {
			return nil, fmt.Errorf("job %s succeeded, but its receipt is not stored", id)
		}
	}
	return bodies, nil
}

// TrustRoot returns every key that may sign receipts or could.
func (r *Receipts) TrustRoot(ctx context.Context) (*receipt.TrustRoot, error) {
	keys, err := r.store.SigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	return &receipt.TrustRoot{Keys: keys}, nil
}
