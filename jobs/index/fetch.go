package index

import (
	"context"
	"sync"

	"astrolabe/starknet"
)

// fetched is the node's answer for one height.
type fetched struct {
	block  *starknet.BlockWithReceipts
	update *starknet.StateUpdate
	err    error // errAbsent when the node has no such block
}

// fetch reads the blocks from one height to another, several at once, and
// hands them out in order. The queue bounds how far it runs ahead. The caller
// ends it by cancelling ctx and calling wait.
func (l *Loop) fetch(ctx context.Context, from, to uint64) (queue <-chan chan fetched, wait func()) {
	line := make(chan chan fetched, 4*l.Sizes.Fetchers)
	turn := make(chan struct{}, l.Sizes.Fetchers)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(line)
		for n := from; n <= to; n++ {
			answer := make(chan fetched, 1)
			select {
			case line <- answer:
			case <-ctx.Done():
				return
			}
			select {
			case turn <- struct{}{}:
			case <-ctx.Done():
				answer <- fetched{err: ctx.Err()}
				return
			}
			reading.Go(func() {
				defer func() { <-turn }()
				answer <- l.read(ctx, n)
			})
		}
	})
	return line, reading.Wait
}

func (l *Loop) read(ctx context.Context, number uint64) fetched {
	block, update, has, err := l.Node.Block(ctx, number)
	if err == nil && !has {
		err = errAbsent
	}
	return fetched{block, update, err}
}
