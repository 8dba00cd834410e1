package graph

import (
	"context"
	"sync/atomic"

	"astrolabe/domain"
)

// ChainStatus follows a chain.
func (r subscriptionResolver) ChainStatus(ctx context.Context, id domain.Chain) (<-chan *ChainStatus, error) {
	if _, err := r.h.served(id); err != nil {
		return nil, err
	}
	return r.h.feed.follow(ctx, id, upstreamOf(ctx).dropped.Store)
}

// upstream is what a subscription's resolver leaves to whoever carries its
// results.
type upstream struct {
	// pull lays the next result ready, before it is asked for. It is nil where
	// the resolver sees to that by itself.
	pull func(context.Context)
	// dropped is why the stream ended before its time.
	dropped atomic.Pointer[dropped]
}

type upstreamKey struct{}

func withUpstream(ctx context.Context) (context.Context, *upstream) {
	up := new(upstream)
	return context.WithValue(ctx, upstreamKey{}, up), up
}

func upstreamOf(ctx context.Context) *upstream {
	up, _ := ctx.Value(upstreamKey{}).(*upstream)
	return up
}
