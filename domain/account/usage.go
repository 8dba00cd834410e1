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

// UseBy begins the use of a caller, who may be nobody.
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
	// ReadUsage returns what a workspace has used since the beginning of an
	// hour, as of one moment: the totals, the busiest keys and the newest
	// requests and failures, at most so many of each.
	ReadUsage(ctx context.Context, workspace string, since time.Time, keys, recent int) (UsageReport, error)
}

// Usage records and reports what workspaces use.
//
// Uses are collected in memory and stored about once a second, so a report may
// lack the last second. A process that crashes loses what it has not stored:
// about one second of uses while the store keeps up and, however long the store
// was away, never more than the 20,480 that wait in memory. Uses that find the
// memory full are dropped; Dropped counts them.
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

// Record notes a use. It never waits and never fails. Uses without a workspace
// concern nobody and are not kept.
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

// Dropped returns how many uses were lost since the process began: they found
// the memory full, or the store refused them.
func (s *Usage) Dropped() int64 { return s.dropped.Load() }

// Run stores uses until ctx ends and then, for at most a few seconds, what is
// left; end ctx after the last request. What goes wrong is told to report.
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

// finish stores what is left. A store that is away is not waited for.
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

// write stores a batch and returns what is to be tried again: all of it while
// the store is away, else nothing.
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
