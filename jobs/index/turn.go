package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// turns is the state of a leader.
type turns struct {
	*Loop
	lease     indexing.Lease
	memory    *memory
	kept      kept // answers that are not stored yet
	at        indexing.Checkpoint
	head      domain.BlockRef
	asked     bool // head was read in this turn
	progress  *progress
	refreshed time.Time        // when the head was last asked for
	absent    *uint64          // the block that the node lacked in the last turn
	l1        *domain.BlockRef // the acceptance on L1 that was read and is not recorded yet
	proving   schedule         // when missing classes are asked for again
	identity  bool             // block 0 was asked for
	same      bool             // the node has the first stored block
	filling   *backfill        // nil while there is none
	ended     bool             // it is recorded that there is none
	// repairing is set when the rows of blocks that are stored already are derived.
	repairing bool
}

// introduce records a state for an index that does not exist yet, so that /status
// shows it from the moment that it is led. An existing one keeps its last state
// until the first turn has ended.
func (t *turns) introduce(ctx context.Context) {
	at, err := t.Checkpoints.Checkpoint(ctx, t.Chain)
	if err == nil && at == nil {
		err = t.Writer.RecordHead(ctx, t.lease, chain.Head{State: chain.Backfilling, Depth: t.Depth})
	}
	if err != nil {
		t.warn(ctx, "could not record the state of the index", err)
	}
}

// turn catches up with the node and records the state of the index, or the error
// that it returns. Then it asks for missing classes, if it is time.
func (t *turns) turn(ctx context.Context) error {
	err := t.catchUp(ctx)
	if err != nil {
		t.forget()
	}
	if !outlives(err) { // also after a success, which has stored everything
		t.kept.purge()
	}
	if ctx.Err() != nil { // an error caused by shutdown says nothing about the node
		return ctx.Err()
	}
	if recordErr := t.record(ctx, chain.Following, err); recordErr != nil {
		t.warn(ctx, "could not record the state of the index", recordErr)
		return recordErr
	}
	if err != nil {
		return err
	}
	return t.prove(ctx)
}

func (t *turns) catchUp(ctx context.Context) error {
	if err := t.prepare(ctx); err != nil {
		return err
	}
	t.asked, t.l1 = false, nil
	head, err := t.ask(ctx)
	if err != nil {
		return err
	}
	t.head, t.asked, t.refreshed = head, true, time.Now()
	t.Metrics.HeadBlock(string(t.Chain), head.Number)
	if err := t.sameChain(ctx); err != nil {
		return err
	}
	forked, err := t.forked(ctx)
	if err == nil && !forked {
		err = t.recheck(ctx)
	}
	for err == nil && !forked && t.at.Next() <= t.head.Number {
		err = t.advance(ctx)
	}
	if err == nil && !forked {
		err = t.accept(ctx)
	}
	if err == nil && !forked {
		err = t.identify(ctx)
	}
	switch {
	case errors.Is(err, errAbsent):
		return t.missed(ctx, err)
	case forked, errors.Is(err, errForked):
		return t.undoFork(ctx)
	}
	return err
}

// forget drops caches of entries that may be uncommitted or lost.
func (t *turns) forget() {
	t.memory = newMemory()
	t.Writer.Forget(t.Chain)
}

// undoFork undoes the blocks above the fork and continues from there.
func (t *turns) undoFork(ctx context.Context) error {
	t.forget()
	t.kept.purge()
	if err := t.reload(ctx); err != nil {
		return err
	}
	if err := t.undo(ctx); err != nil {
		return err
	}
	return t.catchUp(ctx)
}

// prepare loads the checkpoint and completes the work that an earlier process
// left unfinished.
func (t *turns) prepare(ctx context.Context) error {
	if err := t.reload(ctx); err != nil {
		return err
	}
	versions, err := t.Checkpoints.DeriverVersions(ctx, t.Chain)
	if err != nil {
		return err
	}
	if err := outdated(t.Chain, versions); err != nil {
		return err
	}
	if err := t.checkPools(ctx); err != nil {
		return err
	}
	return t.build(ctx)
}

// outdated is the error of stored rows that are not of the current versions. A
// new index comes first, because it renews all of them.
func outdated(c domain.Chain, stored map[string]int) (err error) {
	for fact, version := range facts.Versions {
		switch {
		case stored[fact] == version:
		case !facts.Rederivable(fact):
			return fmt.Errorf("%w: stored %s have version %d, this program stores version %d; if only the record of the version was lost, run: %s; otherwise remove the index, which is then made again from the node: %s",
				indexing.ErrReindex, fact, stored[fact], version, indexing.Advice(c).Versions(), indexing.Advice(c).Rollback(0, 0))
		default:
			err = fmt.Errorf("%w: stored %s have version %d, this program derives version %d; run: astrolabe rederive %s", indexing.ErrRederive, fact, stored[fact], version, fact)
		}
	}
	return err
}

// checkPools returns an error unless the privacy pools are those that the stored
// rows were derived for.
func (t *turns) checkPools(ctx context.Context) error {
	stored, err := t.Classes.PrivacyPools(ctx, t.Chain)
	if err != nil {
		return err
	}
	configured := slices.Compact(slices.SortedFunc(slices.Values(t.Pools), starknet.Felt.Cmp))
	if slices.Equal(stored, configured) {
		return nil
	}
	command := fmt.Sprintf("astrolabe rederive %s --chain %s", facts.TablePrivacyEvents, t.Chain)
	for _, pool := range configured {
		command += fmt.Sprintf(" --privacy-pool %s=%s", t.Chain, pool)
	}
	return fmt.Errorf("%w: they have the events of the privacy pools %s, but the indexer is configured for %s; run: %s", indexing.ErrRederive, stored, configured, command)
}

// reload reads the checkpoint, and creates it if there is none. If it is not
// where this leader left it, a database crash lost commits.
func (t *turns) reload(ctx context.Context) error {
	for {
		at, err := t.Checkpoints.Checkpoint(ctx, t.Chain)
		if err != nil {
			return err
		}
		if at != nil {
			if t.at.Block != nil && (at.Block == nil || *at.Block != *t.at.Block) {
				t.forget()
			}
			t.at = *at
			return nil
		}
		first := t.First
		if t.at.Block != nil { // the index had started and was completely undone
			first = t.at.First
		}
		if err := t.Writer.Begin(ctx, t.lease, first, t.Simulated, t.Pools); err != nil {
			return err
		}
	}
}

// ask reads the head of the node, with the lease duration as timeout.
func (t *turns) ask(ctx context.Context) (domain.BlockRef, error) {
	asking, cancel := context.WithTimeout(ctx, t.Lease)
	defer cancel()
	return t.Node.Head(asking)
}

// record stores the head of the node and the state of the index. If the L1
// acceptance was not read, the last known one stays.
func (t *turns) record(ctx context.Context, state chain.IndexState, cause error) error {
	head := chain.Head{State: state, Depth: t.Depth}
	if t.asked {
		head.Block = &t.head
	}
	if errors.Is(cause, chain.ErrRateLimited) {
		head.State = chain.RateLimited
	} else if cause != nil {
		head.State, head.ReasonCode = chain.Halted, reasonOf(cause)
	} else if t.l1 != nil {
		head.L1, head.L1Hash = &t.l1.Number, &t.l1.Hash
	}
	t.l1 = nil // blocks that are committed later may raise it
	if head.State != t.last.State || head.ReasonCode != t.last.ReasonCode {
		t.announce(head, cause)
	}
	t.last = head
	t.halted.Store(&head.ReasonCode)
	t.Metrics.IndexState(string(t.Chain), string(head.State))
	if block := t.at.Block; block != nil {
		t.Metrics.IndexedBlock(string(t.Chain), block.Number)
	}
	if err := t.Writer.RecordHead(ctx, t.lease, head); err != nil {
		return err
	}
	return t.recordBackfill(ctx, head.State)
}

// announce logs a change of state, with its cause if it is an error.
func (t *turns) announce(head chain.Head, cause error) {
	switch {
	case head.State == chain.RateLimited:
		t.Logger.Info("waiting for the rate limit of the node", "chain", t.Chain, "next", t.at.Next(), "head", t.head.Number)
	case errors.Is(cause, indexing.ErrAcceptedOnL1):
		t.Logger.Error("the indexer is halted", "chain", t.Chain, "reason", head.ReasonCode, "error", cause)
	case cause != nil:
		t.Logger.Warn("the indexer is halted", "chain", t.Chain, "reason", head.ReasonCode, "error", cause)
	case head.State == chain.Backfilling && t.filling.announced:
		t.Logger.Info("backfill continues", "chain", t.Chain, "next", t.at.Next(), "head", t.head.Number)
	case head.State == chain.Backfilling:
		t.filling.announced = true
		t.Logger.Info("backfill started", "chain", t.Chain, "from", t.at.Next(), "head", t.head.Number)
	default:
		t.Logger.Info("following the head", "chain", t.Chain, "head", t.head.Number)
	}
}

// Sizes limit the work of an indexer.
type Sizes struct {
	// Fetchers is the number of blocks that are fetched concurrently; default
	// 8.
	Fetchers int
	// BatchEvents ends a batch of a backfill; default 20,000.
	BatchEvents int
	// BatchAge ends a batch whose first block has waited this long, so that a slow
	// node delays nothing; default 5 s.
	BatchAge time.Duration
	// RangeEvents is the number of events that end a partition; default
	// 2,000,000. Partitions grow with the chain, so that there are never many.
	RangeEvents uint64
	// Bulk is the minimum number of missing finalized blocks for a backfill;
	// default 256.
	Bulk uint64
	// RecordEvery is how often a long turn records its state; default 1 s.
	RecordEvery time.Duration
}

func (s Sizes) orDefault() Sizes {
	if s.Fetchers <= 0 {
		s.Fetchers = 8
	}
	if s.BatchEvents <= 0 {
		s.BatchEvents = 20_000
	}
	if s.BatchAge <= 0 {
		s.BatchAge = 5 * time.Second
	}
	if s.RangeEvents == 0 {
		s.RangeEvents = 2_000_000
	}
	if s.Bulk == 0 {
		s.Bulk = 256
	}
	if s.RecordEvery <= 0 {
		s.RecordEvery = time.Second
	}
	return s
}
