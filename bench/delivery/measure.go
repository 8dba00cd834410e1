package delivery

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/access/streams"
)

const (
	opening = 16 // concurrent connection attempts
	others  = 20 // allowance for goroutines of other work
)

// Measurement is what is measured, and where.
type Measurement struct {
	Protocol Protocol
	// Admin is the address of the program for operators.
	Admin string
	// Keys are API keys of different workspaces, each of which may have
	// streams.Each sockets. The first is for one more subscriber, which waits
	// until the end, so that what is allocated once is not counted.
	Keys []string
	// Subscribers is how many follow, each on its own socket.
	Subscribers int
	// Blocks is how many blocks all of them must receive.
	Blocks int
}

// Run opens the subscribers, waits for the blocks and closes the subscribers.
func (m Measurement) Run(ctx context.Context) (Result, error) {
	if need := 1 + (m.Subscribers+streams.Each-1)/streams.Each; len(m.Keys) < need {
		return Result{}, fmt.Errorf("%d subscribers need %d keys of different workspaces, got %d", m.Subscribers, need, len(m.Keys))
	}
	warm, err := m.Protocol.Subscribe(ctx, m.Keys[0])
	if err != nil {
		return Result{}, err
	}
	defer warm.Close()
	before, err := memory(ctx, m.Admin)
	if err != nil {
		return Result{}, err
	}
	late, with, err := m.follow(ctx)
	if err != nil {
		return Result{}, err
	}
	without, err := settled(ctx, m.Admin, before.goroutines+others)
	if err != nil {
		return Result{}, err
	}
	each := float64(m.Subscribers)
	return Result{m, late, (with.heap - without.heap) / each, (with.stacks - without.stacks) / each}, nil
}

// follow returns how much later than the first subscriber each received each
// block, sorted, and the memory of the program before the sockets were closed.
func (m Measurement) follow(ctx context.Context) (late []time.Duration, with footprint, err error) {
	received := newReceipts(m.Subscribers, m.Blocks)
	readers, reading := errgroup.WithContext(ctx)
	sockets, err := m.open(ctx, func(s *Socket) {
		readers.Go(func() error { return m.read(reading, s, received) })
	})
	defer func() {
		for _, s := range sockets {
			if s != nil {
				s.Close()
			}
		}
		_ = readers.Wait() // the sockets are closed
	}()
	if err != nil {
		return nil, footprint{}, err
	}
	received.begin()
	select {
	case <-received.done:
	case <-reading.Done():
		return nil, footprint{}, readers.Wait()
	}
	with, err = memory(ctx, m.Admin)
	return received.late, with, err
}

// open opens the subscribers, and calls begin for each.
func (m Measurement) open(ctx context.Context, begin func(*Socket)) ([]*Socket, error) {
	sockets := make([]*Socket, m.Subscribers)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(opening)
	for i := range sockets {
		group.Go(func() error {
			s, err := m.Protocol.Subscribe(ctx, m.Keys[1+i/streams.Each])
			if err == nil {
				sockets[i] = s
				begin(s)
			}
			return err
		})
	}
	return sockets, group.Wait()
}

// read receives blocks until the socket is closed.
func (m Measurement) read(ctx context.Context, s *Socket, received *receipts) error {
	for {
		block, err := m.Protocol.Next(ctx, s)
		if err != nil {
			return err
		}
		received.add(block, time.Now())
	}
}
