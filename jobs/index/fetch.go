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
// ahead. The caller stops it by cancelling ctx, and its calls of the node by
// cancelling reading, and then calls wait.
func (t *turns) fetch(ctx, reading context.Context, from, to uint64) (queue <-chan chan fetched, wait func()) {
	pending := make(chan chan fetched, 4*t.Sizes.Fetchers)
	slots := make(chan struct{}, t.Sizes.Fetchers)
	verifiers := make(chan struct{}, runtime.GOMAXPROCS(0))
	var readers sync.WaitGroup
	readers.Go(func() {
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
			readers.Go(func() {
				defer func() { <-slots }()
				answer <- t.obtain(reading, n, verifiers)
			})
		}
	})
	return pending, readers.Wait
}

// obtain returns a block that an earlier turn has kept, or reads and verifies it,
// and keeps it until it is stored. What cannot be verified is not kept.
func (t *turns) obtain(ctx context.Context, number uint64, verifiers chan struct{}) fetched {
	got := t.kept.block(number)
	if got.update != nil {
		return got
	}
	if got = t.read(ctx, number, got); got.err == nil {
		verifiers <- struct{}{}
		t.verify(&got)
		<-verifiers
		if got.err != nil {
			t.kept.drop(number)
			return got
		}
	}
	if got.block != nil {
		t.kept.keep(number, got)
	}
	return got
}

// read reads a block with its state update, or only the latter if the former is
// known.
func (l *Loop) read(ctx context.Context, number uint64, known fetched) fetched {
	tracing, upstreams := chain.TraceUpstreams(ctx)
	var (
		block  = known.block
		update *starknet.StateUpdate
		has    bool
		err    error
	)
	if block == nil {
		block, update, has, err = l.Node.Block(tracing, number)
	} else {
		chain.AnsweredBy(tracing, known.upstream)
		update, has, err = l.Node.Update(tracing, block)
	}
	if err == nil && !has {
		err = errAbsent
	}
	return fetched{block: block, update: update, upstream: upstreams.String(), err: err}
}
