package account

import (
	"context"
	"sync"
	"time"
)

const (
	// maxUses bounds the keys whose use waits to be stored; the use of
	// further ones is not noted until the next time.
	maxUses = 10_000
	// lastUses is how long the uses noted last may take to be stored.
	lastUses = 2 * time.Second
)

// uses holds when keys were used since that was last stored.
type uses struct {
	mu    sync.Mutex
	noted map[string]time.Time
}

// note keeps the latest use of a key.
func (u *uses) note(publicID string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.noted == nil {
		u.noted = make(map[string]time.Time)
	}
	last, known := u.noted[publicID]
	if (known || len(u.noted) < maxUses) && last.Before(at) {
		u.noted[publicID] = at
	}
}

// take empties the notes.
func (u *uses) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.noted
	u.noted = nil
	return taken
}

// UseEvery is how often the last use of keys is stored, and so how much of it
// a crash loses.
const UseEvery = time.Minute

// FollowUse stores when keys were last used, at intervals and once more when
// ctx ends. A key costs at most one row update per interval. Errors go to
// report and are retried.
func (s *Keys) FollowUse(ctx context.Context, every time.Duration, report func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			if err := s.StoreUse(ctx); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastUses)
	defer cancel()
	if err := s.StoreUse(last); err != nil {
		report(err)
	}
}

// StoreUse stores when keys were last used, now.
func (s *Keys) StoreUse(ctx context.Context) error {
	taken := s.uses.take()
	if len(taken) == 0 {
		return nil
	}
	err := s.store.RecordUse(ctx, taken)
	if err != nil {
		for id, at := range taken {
			s.uses.note(id, at)
		}
	}
	return err
}
