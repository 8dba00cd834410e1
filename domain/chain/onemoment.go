package chain

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain"
)

// moment caches the heads that the first reader of a context read.
type moment struct {
	mu     sync.Mutex
	heads  map[domain.Chain]Head
	readAt time.Time
}

type momentKey struct{}

// AtOneMoment returns a context in which the heads of the chains are read once,
// so that a response made of many reads has a consistent finality.
func AtOneMoment(ctx context.Context) context.Context {
	return context.WithValue(ctx, momentKey{}, new(moment))
}

// of returns the heads and reads them at most once. Errors are not cached.
func (m *moment) of(ctx context.Context, s *Statuses) (map[domain.Chain]Head, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heads == nil {
		heads, readAt, err := s.look(ctx)
		if err != nil {
			return nil, time.Time{}, err
		}
		m.heads, m.readAt = heads, readAt
	}
	return m.heads, m.readAt, nil
}
