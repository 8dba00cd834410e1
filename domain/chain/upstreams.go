package chain

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Upstreams collects the names of the upstream nodes that answered the calls of
// a context, as httptrace does for connections. It is safe for concurrent use.
type Upstreams struct {
	mu    sync.Mutex
	names []string
}

type upstreamsKey struct{}

// TraceUpstreams returns a context whose calls report which upstream answered.
func TraceUpstreams(ctx context.Context) (context.Context, *Upstreams) {
	u := new(Upstreams)
	return context.WithValue(ctx, upstreamsKey{}, u), u
}

// AnsweredBy reports that an upstream answered a call of the context.
func AnsweredBy(ctx context.Context, name string) {
	u, ok := ctx.Value(upstreamsKey{}).(*Upstreams)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.Contains(u.names, name) {
		u.names = append(u.names, name)
	}
}

// String returns the names in the order of their answers.
func (u *Upstreams) String() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return strings.Join(u.names, ", ")
}
