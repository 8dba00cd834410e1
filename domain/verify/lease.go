package verify

import (
	"errors"
	"time"
)

const (
	// LeaseTime is how long a builder holds a job after its last renewal. Then
	// another one may take the job over.
	LeaseTime = time.Minute
	// RenewEvery is how often a builder renews its lease.
	RenewEvery = 10 * time.Second
	// MaxAttempts is how often a job is built before it fails.
	MaxAttempts = 3
	// BuildPatience is how long a job may be building without a renewal before it
	// fails: no builder takes it over.
	BuildPatience = 10 * time.Minute
)

// ErrLeaseLost means that a job is not the builder's any more: it has ended, or
// another builder has taken it over. Nothing was changed.
var ErrLeaseLost = errors.New("the job has ended, or another builder has taken it over")

// Lease is the last attempt at building a job. While the job is building, only
// the builder of that attempt may end the build.
type Lease struct {
	Builder   string
	Attempt   int // from 1
	ClaimedAt time.Time
	SeenAt    time.Time // of the last renewal
}

// held reports whether the job is building under a lease.
func (j *Job) held(lease *Lease) bool {
	return j.State == Building && j.Lease != nil && j.Lease.Builder == lease.Builder && j.Lease.Attempt == lease.Attempt
}

// claim gives a job to a builder, if it is queued or its lease was last renewed
// at a time that is stale. A job whose attempts are used up fails.
func (j *Job) claim(builder string, now, stale time.Time) *Change {
	lease := &Lease{Builder: builder, Attempt: 1, ClaimedAt: now, SeenAt: now}
	switch {
	case j.State == Queued:
		return &Change{At: now, To: Building, Lease: lease}
	case j.State != Building || j.Lease == nil || j.Lease.SeenAt.After(stale):
		return nil
	case j.Lease.Attempt >= MaxAttempts:
		return &Change{At: now, To: Failed, Failure: &Failure{DispatchFailed, "The service began to build the source three times, and no build ended. Create a new job with the same source under a new idempotency key."}}
	}
	lease.Attempt = j.Lease.Attempt + 1
	return &Change{At: now, Lease: lease}
}

// abandon ends a job whose builder has stopped and that no other takes over.
func (j *Job) abandon(now time.Time) *Change {
	if j.State != Building || j.Lease != nil && now.Before(j.Lease.SeenAt.Add(BuildPatience)) {
		return nil
	}
	return &Change{At: now, To: Failed, Failure: &Failure{DispatchFailed, "The process that built the source has stopped, and no other took over. Create a new job with the same source under a new idempotency key."}}
}
