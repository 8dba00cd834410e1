package index

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/telemetry"
)

// Node is the chain's node as the loop needs it.
type Node interface {
	// Head returns the newest accepted block. It is chain.ErrWrongChain when
	// the node answers for another chain.
	Head(ctx context.Context) (domain.BlockRef, error)
}

// Store is where the loop writes, as the holder of a lease.
type Store interface {
	chain.Leases
	// RecordHead stores the head, or returns chain.ErrLeaseLost.
	RecordHead(ctx context.Context, lease chain.Lease, head chain.Head) error
}

// Loop follows one chain.
type Loop struct {
	Chain   domain.Chain
	Node    Node
	Store   Store
	Holder  string        // names this process among its rivals
	Every   time.Duration // how often the node is asked
	Lease   time.Duration // how long a leader may be silent
	Logger  *slog.Logger
	Metrics *telemetry.Metrics

	last chain.Head // what was recorded last, to log changes only
}

// Run leads or stands by until ctx ends, then gives the lease back so that
// another process can lead at once.
func (l *Loop) Run(ctx context.Context) error {
	var lease chain.Lease
	defer func() { l.release(ctx, lease) }()
	ticker := time.NewTicker(l.Every)
	defer ticker.Stop()
	for {
		lease = l.step(ctx, lease)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// releaseTime bounds the last write of a process that ends: when the database
// hangs, the lease runs out by itself.
const releaseTime = 2 * time.Second

func (l *Loop) release(ctx context.Context, lease chain.Lease) {
	if lease.Epoch == 0 {
		return
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_ = l.Store.ReleaseLease(ending, lease)
}

// step takes or renews the lease, asks the node and records its answer. It
// returns the lease that it holds afterwards, the zero lease when it has none.
func (l *Loop) step(ctx context.Context, held chain.Lease) chain.Lease {
	lease, leads, err := l.Store.TakeLease(ctx, l.Chain, l.Holder, l.Lease)
	if err != nil {
		l.warn(ctx, "the index lease could not be taken", err)
		return held
	}
	if !leads {
		return chain.Lease{}
	}
	if lease.Epoch != held.Epoch {
		l.Logger.Info("this process leads the index", "chain", l.Chain, "epoch", lease.Epoch)
	}
	head := l.observe(ctx)
	if ctx.Err() != nil { // what a stop interrupted says nothing about the node
		return lease
	}
	switch err := l.Store.RecordHead(ctx, lease, head); {
	case errors.Is(err, chain.ErrLeaseLost):
		return chain.Lease{}
	case err != nil:
		l.warn(ctx, "the chain's head could not be recorded", err)
	}
	return lease
}

// observe asks the node for its head and turns failure into a reason.
func (l *Loop) observe(ctx context.Context) chain.Head {
	asking, cancel := context.WithTimeout(ctx, l.Lease/2)
	defer cancel()
	var head chain.Head
	block, err := l.Node.Head(asking)
	switch {
	case errors.Is(err, chain.ErrWrongChain):
		head = chain.Head{State: chain.Halted, ReasonCode: chain.ReasonWrongChain}
	case err != nil:
		head = chain.Head{State: chain.Halted, ReasonCode: chain.ReasonNodeUnavailable}
	default:
		head = chain.Head{State: chain.Following, Block: &block}
		l.Metrics.HeadBlock(string(l.Chain), block.Number)
	}
	if ctx.Err() == nil && (head.State != l.last.State || head.ReasonCode != l.last.ReasonCode) {
		l.announce(head, err)
	}
	l.Metrics.IndexState(string(l.Chain), string(head.State))
	l.last = head
	return head
}

// announce logs a change of state, with its cause when it is a bad one.
func (l *Loop) announce(head chain.Head, cause error) {
	if cause != nil {
		l.Logger.Warn("the index stands still", "chain", l.Chain, "reason", head.ReasonCode, "error", cause)
		return
	}
	l.Logger.Info("the index follows its node", "chain", l.Chain, "head", head.Block.Number)
}

func (l *Loop) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		l.Logger.Warn(what, "chain", l.Chain, "error", err)
	}
}
