package account

import (
	"context"
	"sync"
	"time"
)

const (
	// maxUses bounds the keys or sessions whose use waits to be stored; the use
	// of further ones is not noted until the next time.
	maxUses = 10_000
	// lastUses is how long the uses noted last may take to be stored.
	lastUses = 2 * time.Second
)

// uses holds when keys or sessions were used since that was last stored.
type uses struct {
	mu    sync.Mutex
	noted map[string]time.Time
}

// note keeps the latest use of a key or session.
func (u *uses) note(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.noted == nil {
		u.noted = make(map[string]time.Time)
	}
	last, known := u.noted[id]
	if (known || len(u.noted) < maxUses) && last.Before(at) {
		u.noted[id] = at
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

// UseEvery is how often the last use of keys and sessions is stored, and so how
// much of it a crash loses.
const UseEvery = time.Minute

// storeUses stores when keys or sessions were last used.
type storeUses func(ctx context.Context, uses map[string]time.Time) error

// follow stores the notes at intervals and once more when ctx ends. Errors go to
// report and are retried.
func (u *uses) follow(ctx context.Context, every time.Duration, store storeUses, report func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			if err := u.flush(ctx, store); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastUses)
	defer cancel()
	if err := u.flush(last, store); err != nil {
		report(err)
	}
}

// flush stores the notes now, and keeps them if that fails.
func (u *uses) flush(ctx context.Context, store storeUses) error {
	taken := u.take()
	if len(taken) == 0 {
		return nil
	}
	err := store(ctx, taken)
	if err != nil {
		for id, at := range taken {
			u.note(id, at)
		}
	}
	return err
}

// FollowUse stores when keys were last used, at intervals and once more when
// ctx ends. A key costs at most one row update per interval. Errors go to
// report and are retried.
func (s *Keys) FollowUse(ctx context.Context, every time.Duration, report func(error)) {
	s.uses.follow(ctx, every, s.store.RecordUse, report)
}

// StoreUse stores when keys were last used, now.
func (s *Keys) StoreUse(ctx context.Context) error { return s.uses.flush(ctx, s.store.RecordUse) }
