package index

import (
	"context"
	"runtime"
	"sync"

	"astrolabe/domain/chain"
	"astrolabe/domain/integrity"
	"astrolabe/starknet"
)

// fetched is the response of the node for one block number.
type fetched struct {
	block    *starknet.BlockWithReceipts
	update   *starknet.StateUpdate
	verdict  integrity.Verdict
	upstream string // the upstream that answered; both if the parts come from two
	err      error  // errAbsent if the node has no such block
}

// fetch reads and verifies the blocks from one number to another concurrently
// and returns them in order. The capacity of the queue limits how far it reads
// ahead. The caller stops it by cancelling ctx and calling wait.
func (l *Loop) fetch(ctx context.Context, from, to uint64) (queue <-chan chan fetched, wait func()) {
	pending := make(chan chan fetched, 4*l.Sizes.Fetchers)
	slots := make(chan struct{}, l.Sizes.Fetchers)
	verifiers := make(chan struct{}, runtime.GOMAXPROCS(0))
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(pending)
		for n := from; n <= to; n++ {
			answer := make(chan fetched, 1)
			select {
			case pending <- answer:
			case <-ctx.Done():
				return
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				answer <- fetched{err: ctx.Err()}
				return
			}
			reading.Go(func() {
				defer func() { <-slots }()
				got := l.read(ctx, n)
				if got.err == nil {
					verifiers <- struct{}{}
					l.verify(&got)
					<-verifiers
				}
				answer <- got
			})
		}
	})
	return pending, reading.Wait
}

func (l *Loop) read(ctx context.Context, number uint64) fetched {
	tracing, upstreams := chain.TraceUpstreams(ctx)
	block, update, has, err := l.Node.Block(tracing, number)
	if err == nil && !has {
		err = errAbsent
	}
	return fetched{block: block, update: update, upstream: upstreams.String(), err: err}
}
