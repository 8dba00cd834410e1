package chain

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain"
)

// moment is what the first reader of a context found of the heads.
type moment struct {
	mu     sync.Mutex
	heads  map[domain.Chain]Head
	readAt time.Time
}

type momentKey struct{}

// AtOneMoment returns a context in which chains stand as they stood when they
// were first asked about: an answer that is put together from many reads calls
// no block final in one part that is not in another, and the heads are read
// once.
func AtOneMoment(ctx context.Context) context.Context {
	return context.WithValue(ctx, momentKey{}, new(moment))
}

// of returns the heads, which it reads if nobody has. A failure is the caller's
// alone.
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
