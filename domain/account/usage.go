package account

import (
	"context"
	"sync/atomic"
	"time"

	"astrolabe/domain"
)

const (
	// UsageEvery is how often uses are stored, and so about how much of them a
	// crash loses.
	UsageEvery = time.Second

	usageBuffer  = 16_384          // uses that may wait to be stored
	usageBatch   = 4096            // uses that are stored at once
	usageTimeout = 2 * time.Second // of storing one batch
	usageLast    = 3 * time.Second // of storing what is left at the end
)

// Use is one request of a workspace. It holds no secret, no body, no path and
// no query.
type Use struct {
	At        time.Time
	Workspace string
	PublicID  string // the key's; empty for a session
	Route     string // the route's template, never the path
	Method    string
	Class     Class
	Status    int
	Code      domain.Code // why it failed; empty for a success
	RequestID string
	Took      time.Duration
}

// UseBy returns a usage entry of a caller, who may be nil.
func UseBy(c *Caller) Use {
	switch {
	case c == nil:
		return Use{}
	case c.Kind == ByKey:
		return Use{Workspace: c.Workspace, PublicID: c.Subject}
	}
	return Use{Workspace: c.Workspace}
}

// Failed reports whether the request was answered with a failure.
func (u Use) Failed() bool { return u.Code != "" }

// UsageStore keeps uses: counted by the hour for long, and the recent ones
// each by itself for a short time.
type UsageStore interface {
	// StoreUses adds counts and uses, all or nothing. After
	// service_unavailable nothing was added and the same may be tried again;
	// after any other error that would risk counting twice, or be in vain.
	StoreUses(ctx context.Context, counts []UsageCount, recent []Use) error
	// ReadUsage returns the usage of a workspace since the start of an hour, in
	// one snapshot: the totals, the busiest keys, and the newest requests and
	// failures, up to a limit each.
	ReadUsage(ctx context.Context, workspace string, since time.Time, keys, recent int) (UsageReport, error)
}

// Usage records and reports the usage of workspaces.
//
// Uses are buffered in memory and stored about once a second, so a report may
// lack the last second. A process that crashes loses its buffer: about one
// second of uses, and never more than 20,480 while the store is unreachable.
// Uses that find the buffer full are dropped; Dropped counts them.
type Usage struct {
	store   UsageStore
	now     func() time.Time
	buffer  chan Use
	dropped atomic.Int64
}

// NewUsage makes the service. Every process that answers requests has one, and
// runs it.
func NewUsage(store UsageStore, now func() time.Time) *Usage {
	return &Usage{store: store, now: now, buffer: make(chan Use, usageBuffer)}
}

// Record buffers a use. It never blocks and never fails. Uses without a
// workspace are ignored.
func (s *Usage) Record(u Use) {
	if u.Workspace == "" {
		return
	}
	select {
	case s.buffer <- u:
	default:
		s.dropped.Add(1)
	}
}

// Dropped returns how many uses were lost since the process started: the buffer
// was full, or the store rejected them.
func (s *Usage) Dropped() int64 { return s.dropped.Load() }

// Run stores uses until ctx ends and then, for at most a few seconds, the rest
// of the buffer; end ctx after the last request. Errors go to report.
func (s *Usage) Run(ctx context.Context, report func(error)) {
	ticker := time.NewTicker(UsageEvery)
	defer ticker.Stop()
	batch := make([]Use, 0, usageBatch)
	for ctx.Err() == nil {
		source := s.buffer
		if len(batch) == usageBatch { // it could not be stored: let the others wait
			source = nil
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
			batch = s.write(context.WithoutCancel(ctx), batch, report)
		case u := <-source:
			if batch = append(batch, u); len(batch) == usageBatch {
				batch = s.write(context.WithoutCancel(ctx), batch, report)
			}
		}
	}
	s.finish(context.WithoutCancel(ctx), batch, report)
}

// finish stores the rest of the buffer. It does not wait for an unreachable
// store.
func (s *Usage) finish(ctx context.Context, batch []Use, report func(error)) {
	ctx, cancel := context.WithTimeout(ctx, usageLast)
	defer cancel()
	for {
		for len(batch) < usageBatch && len(s.buffer) > 0 {
			batch = append(batch, <-s.buffer)
		}
		if len(batch) == 0 {
			return
		}
		if batch = s.write(ctx, batch, report); len(batch) > 0 {
			s.dropped.Add(int64(len(batch) + len(s.buffer)))
			return
		}
	}
}

// write stores a batch and returns what to retry: the whole batch if the store
// is unreachable, else nothing.
func (s *Usage) write(ctx context.Context, batch []Use, report func(error)) []Use {
	if len(batch) == 0 {
		return batch
	}
	ctx, cancel := context.WithTimeout(ctx, usageTimeout)
	defer cancel()
	err := s.store.StoreUses(ctx, countUses(batch), newestUses(batch))
	if err != nil {
		report(err)
		if domain.CodeOf(err) == domain.CodeServiceUnavailable {
			return batch
		}
		s.dropped.Add(int64(len(batch)))
	}
	return batch[:0]
}
