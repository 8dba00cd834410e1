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
	outer *Upstreams // of the context around; nil if there is none
}

type upstreamsKey struct{}

// TraceUpstreams returns a context whose calls report which upstream answered, as
// the calls of the given one do.
func TraceUpstreams(ctx context.Context) (context.Context, *Upstreams) {
	outer, _ := ctx.Value(upstreamsKey{}).(*Upstreams)
	u := &Upstreams{outer: outer}
	return context.WithValue(ctx, upstreamsKey{}, u), u
}

// Untraced returns a context whose calls are not reported to the outer ones.
func Untraced(ctx context.Context) context.Context {
	return context.WithValue(ctx, upstreamsKey{}, (*Upstreams)(nil))
}

// AnsweredBy reports that an upstream answered a call of the context.
func AnsweredBy(ctx context.Context, name string) {
	for u, _ := ctx.Value(upstreamsKey{}).(*Upstreams); u != nil; u = u.outer {
		u.add(name)
	}
}

func (u *Upstreams) add(name string) {
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
