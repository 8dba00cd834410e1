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
	return r.h.feed.follow(ctx, id, endingOf(ctx).Store)
}

// ending carries to the transport why a stream ended before its time.
type ending = atomic.Pointer[dropped]

type endingKey struct{}

func withEnding(ctx context.Context) (context.Context, *ending) {
	e := new(ending)
	return context.WithValue(ctx, endingKey{}, e), e
}

func endingOf(ctx context.Context) *ending {
	e, _ := ctx.Value(endingKey{}).(*ending)
	return e
}
