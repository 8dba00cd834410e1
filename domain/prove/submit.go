package prove

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

const retryDraining = 5 * time.Second

// Submit creates and queues a job, or returns the one that the workspace created
// before with the same idempotency key and an equal body. The latter is answered
// whatever the limits are and debits nothing; if it is Unavailable, it is queued
// again. The body must not be changed or logged.
//
// The errors are, in this order: forbidden; idempotency_key_required or
// invalid_idempotency_key; what ParseSubmission returns; idempotency_key_reused;
// prover_unavailable; prover_daily_budget_exhausted; prover_key_concurrency;
// prover_queue_full.
func (r *Relay) Submit(ctx context.Context, caller *account.Caller, key string, body []byte) (*Job, Admission, error) {
	if err := mayProve(caller); err != nil {
		return nil, Replayed, err
	}
	if err := CheckKey(key); err != nil {
		return nil, Replayed, err
	}
	s, err := ParseSubmission(body)
	if err != nil {
		return nil, Replayed, err
	}
	list := digests(r.options.Keys(), caller.Workspace, key, s)
	known, err := r.store.JobByKey(ctx, caller.Workspace, list)
	if err != nil {
		return nil, Replayed, err
	}
	if known != nil && known.Status != Unavailable { // needs no lock
		if err := checkSame(known, list); err != nil {
			return nil, Replayed, err
		}
		known.expire(r.options.Now())
		return known, Replayed, nil
	}
	now := domain.Milliseconds(r.options.Now())
	job, admission, err := r.store.Admit(ctx, &Job{
		ID: newID(idPrefix), Workspace: caller.Workspace, Key: caller.Subject, Status: Queued, Result: NoResult,
		Holder: r.holder, CreatedAt: now, QueuedAt: now, Request: list[0].Request,
	}, list, func(known *Job, load Load) (Admission, error) { return r.decide(caller, now, list, known, load) })
	if err != nil {
		return nil, Replayed, err
	}
	if admission == Replayed {
		job.expire(r.options.Now())
		return job, Replayed, nil
	}
	r.options.OnTransition(Queued)
	if err := r.enqueue(ctx, &ticket{job.ID, job.Place, s.Params()}); err != nil {
		return nil, Replayed, err
	}
	return job, admission, nil
}

// decide decides on a submission when nothing else of its workspace can change.
func (r *Relay) decide(caller *account.Caller, now time.Time, list []Digest, known *Job, load Load) (Admission, error) {
	admission := Added
	if known != nil {
		if err := checkSame(known, list); err != nil || known.Status != Unavailable {
			return Replayed, err
		}
		admission = Requeued
	}
	if err := r.available(); err != nil {
		return Replayed, err
	}
	if err := load.admit(r.options.Budget.Of(caller), r.options.Queue, now, admission == Requeued); err != nil {
		return Replayed, err
	}
	return admission, nil
}

// available returns prover_unavailable while nothing can be dispatched.
func (r *Relay) available() error {
	r.mu.Lock()
	draining := r.draining
	r.mu.Unlock()
	if draining {
		return drained()
	}
	if wait, ready := r.options.Upstream.Ready(); !ready {
		return later(domain.CodeProverUnavailable, wait, "The prover does not answer. Retry with the same idempotency key.")
	}
	return nil
}

func drained() error {
	return later(domain.CodeProverUnavailable, retryDraining, "This process is shutting down. Retry with the same idempotency key.")
}

// checkSame returns idempotency_key_reused if a job is of another request.
func checkSame(known *Job, list []Digest) error {
	if !sameRequest(known.Request, list) {
		return domain.Errorf(domain.CodeIdempotencyKeyReused,
			"The workspace has used this idempotency key for another body. Use a new key, or retry with the same body.")
	}
	return nil
}

// mayProve allows only API keys, which always belong to a workspace.
func mayProve(caller *account.Caller) error {
	if err := caller.Require(account.Prove); err != nil {
		return err
	}
	if caller.Kind != account.ByKey || caller.Workspace == "" {
		return domain.Errorf(domain.CodeForbidden, "Requesting proofs requires an API key of a workspace.")
	}
	return nil
}
