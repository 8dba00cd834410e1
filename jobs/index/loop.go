package index

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// Node is the node of the chain, as the indexer uses it. Where it requires that
// several upstreams agree, Head, L1Head, HashAt and Block return
// indexing.ErrNoQuorum if too few do.
type Node interface {
	// Head checks the node and returns its newest accepted block. It returns
	// chain.ErrWrongChain or chain.ErrNodeVersion if the node cannot be used.
	Head(ctx context.Context) (domain.BlockRef, error)
	// L1Head returns the newest block that is accepted on L1, if there is one.
	L1Head(ctx context.Context) (domain.BlockRef, bool, error)
	// HashAt returns the hash of the block at a height, if there is one.
	HashAt(ctx context.Context, number uint64) (starknet.Felt, bool, error)
	// Block returns the block at a height with its state update, if there is one.
	// If only the state update fails, it returns the block with the error.
	Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error)
	// Update returns the state update of a block, if the node still has it.
	Update(ctx context.Context, block *starknet.BlockWithReceipts) (*starknet.StateUpdate, bool, error)
	// RateLimited reports whether the node has refused calls for its rate limit
	// lately, so that blocks come slowly.
	RateLimited() bool
	// Class returns a class that has its hash, chain.ErrNoClass if the node does
	// not have it, the class with chain.ErrUnprovenClass if it is a Cairo 0 class
	// of another hash, or chain.ErrPruned if it does not have the block. A Sierra
	// class of another hash is indexing.ErrInconsistent.
	Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error)
	// ClassHashAt returns a contract's class after a block, if it existed,
	// chain.ErrPruned if the node does not have the block, or
	// indexing.ErrInconsistent if upstreams differ.
	ClassHashAt(ctx context.Context, at, contract starknet.Felt) (starknet.Felt, bool, error)
	// StorageAt returns the value of a contract's storage slot after a block;
	// zero if the contract did not exist. Its errors are those of ClassHashAt.
	StorageAt(ctx context.Context, at, contract, slot starknet.Felt) (starknet.Felt, error)
	// News receives a value when the head may have changed, until ctx ends.
	News(ctx context.Context) <-chan struct{}
}

// Writer writes the index as the holder of a lease. Without the lease, every
// method returns indexing.ErrLeaseLost and changes nothing.
type Writer interface {
	RecordHead(ctx context.Context, lease indexing.Lease, head chain.Head) error
	Begin(ctx context.Context, lease indexing.Lease, first uint64, simulated bool, pools []starknet.Felt) error
	// Forget drops cached dictionary ids, because their commits may be lost.
	Forget(c domain.Chain)
	Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error
	Undo(ctx context.Context, lease indexing.Lease, to *domain.BlockRef) error

	OpenRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error
	SealRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error
	BuildRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error
	AnalyzeRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error
}

// Backfills stores the progress of backfills.
type Backfills interface {
	// RecordBackfill stores the progress of a backfill; nil means that there is none.
	// Without the lease, it changes nothing.
	RecordBackfill(ctx context.Context, lease indexing.Lease, progress *chain.Backfill) error
}

// Loop indexes one chain.
type Loop struct {
	Chain       domain.Chain
	Node        Node
	Leases      indexing.Leases
	Checkpoints indexing.Checkpoints
	Classes     indexing.Histories
	Writer      Writer
	Backfills   Backfills
	Holder      string // identifies this process as lease holder
	// Gone reports whether the holder of a lease has provably ended, so that its
	// lease is taken over at once; nil waits until it ends.
	Gone func(holder string) bool
	// Describe names the holder of a lease in the log; nil logs it as it is.
	Describe func(holder string) string

	Every time.Duration // poll interval
	Lease time.Duration // lease duration

	// First is the first block of a new index.
	First uint64
	// Simulated is whether this program simulates the chain itself. A new index
	// remembers it.
	Simulated bool
	// Pools are the privacy pools whose events are kept.
	Pools []starknet.Felt
	// Depth is the number of blocks on top of a block that make it finalized.
	Depth uint64
	// Verify is how far blocks are verified before they are stored; empty means
	// facts.Unverified.
	Verify facts.Verification
	// AcceptMissingClasses continues without classes that the node does not
	// have, as without those that no upstream proves. Old-style transfers of their
	// contracts are then untyped.
	AcceptMissingClasses bool
	// Prover asks for missing classes again; nil never does.
	Prover Prover
	// Sizes limit the work; zero values mean the defaults.
	Sizes Sizes

	Logger  *slog.Logger
	Metrics *telemetry.Metrics
	// Report receives the progress of a backfill about once a second. If nil,
	// progress is logged periodically.
	Report func(Progress)

	last   chain.Head // last recorded state, to log only changes
	behind string     // the holder of the lease that this process stands by for
	halted atomic.Pointer[string]
}

// Halted returns the reason code while this process leads and is halted, and
// otherwise an empty text.
func (l *Loop) Halted() string {
	if reason := l.halted.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Run leads or stands by until ctx ends, then releases the lease so that
// another process can lead immediately.
func (l *Loop) Run(ctx context.Context) error {
	l.Sizes = l.Sizes.orDefault()
	ticker := time.NewTicker(l.Every)
	defer ticker.Stop()
	for {
		lease, leads, err := l.Leases.TakeLease(ctx, l.Chain, l.Holder, l.Lease)
		switch {
		case err != nil:
			l.warn(ctx, "could not take the index lease", err)
		case leads:
			l.behind = ""
			l.lead(ctx, lease)
			l.halted.Store(nil)
		case l.standBy(ctx):
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// standBy says once for which process this one stands by. If that process has
// provably ended, it ends its lease and returns true.
func (l *Loop) standBy(ctx context.Context) (free bool) {
	held, found, err := l.Leases.HeldLease(ctx, l.Chain)
	if err != nil || !found {
		return false
	}
	leader := held.Holder
	if l.Describe != nil {
		leader = l.Describe(held.Holder)
	}
	if l.Gone != nil && l.Gone(held.Holder) {
		if err := l.Leases.ReleaseLease(ctx, held); err != nil {
			return false
		}
		l.Logger.Info("taking over the index lease of a process that has ended", "chain", l.Chain, "leader", leader)
		return true
	}
	if l.behind != held.Holder {
		l.behind = held.Holder
		l.Logger.Info("standing by: another process leads the index", "chain", l.Chain, "leader", leader, "leaseUntil", held.ExpiresAt)
	}
	return false
}

// lead indexes until ctx ends or the lease is lost.
func (l *Loop) lead(ctx context.Context, lease indexing.Lease) {
	l.Logger.Info("leading the index", "chain", l.Chain, "epoch", lease.Epoch)
	leading, lose := context.WithCancel(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		l.renew(leading, lose, lease)
	}()
	defer l.release(ctx, lease)
	defer func() { lose(); <-renewed }()

	t := &turns{Loop: l, lease: lease}
	t.forget()
	t.introduce(leading)
	news := l.Node.News(leading)
	ticker := time.NewTicker(l.Every)
	defer ticker.Stop()
	for {
		err := t.turn(leading)
		if errors.Is(err, indexing.ErrLeaseLost) || leading.Err() != nil {
			return
		}
		select {
		case <-leading.Done():
			return
		case <-news:
		case <-ticker.C:
		}
	}
}

// renew renews the lease until ctx ends. It calls lose if the lease was lost or
// could not be renewed for its whole duration. A renewal is not cancelled with ctx,
// but awaited: the database may execute a cancelled one after the release.
func (l *Loop) renew(ctx context.Context, lose func(), lease indexing.Lease) {
	ticker := time.NewTicker(l.Lease / 4)
	defer ticker.Stop()
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		asked := time.Now()
		taking, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Lease/2)
		renewed, leads, err := l.Leases.TakeLease(taking, l.Chain, l.Holder, l.Lease)
		cancel()
		switch {
		case err == nil && leads && renewed.Epoch == lease.Epoch:
			good = asked
		case err == nil || time.Since(good) > l.Lease:
			l.lost(ctx, leads, err)
			lose()
			return
		}
	}
}

// lost logs why the lease was lost: because this process had to take it again after
// it had expired, because the database could not be reached for as long as it
// lasts, or because of another process.
func (l *Loop) lost(ctx context.Context, leads bool, err error) {
	switch {
	case err != nil:
		l.warn(ctx, "the index lease expired, because the database could not be reached", err)
	case leads && ctx.Err() == nil:
		l.Logger.Warn("the index lease expired before it was renewed; this process leads again", "chain", l.Chain)
	default:
		l.warn(ctx, "lost the index lease", indexing.ErrLeaseLost)
	}
}

// releaseTime limits the release of the lease at shutdown. If the database
// hangs, the lease expires by itself.
const releaseTime = 2 * time.Second

func (l *Loop) release(ctx context.Context, lease indexing.Lease) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_ = l.Leases.ReleaseLease(ending, lease)
}

func (l *Loop) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		l.Logger.Warn(what, "chain", l.Chain, "error", err)
	}
}
