package rederive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// Writer replaces stored rows, as the holder of a lease.
type Writer interface {
	Rewrite(ctx context.Context, lease indexing.Lease, run indexing.Run, tables ...facts.Table) error
	RewriteSchemas(ctx context.Context, lease indexing.Lease, classes []*facts.Class) error
	RewriteLocators(ctx context.Context, lease indexing.Lease) error
	// RecordVersions records that the rows of these facts have the current
	// deriver versions.
	RecordVersions(ctx context.Context, lease indexing.Lease, names ...string) error
}

// PoolStore stores which contracts are privacy pools, as the holder of a lease.
type PoolStore interface {
	// SetPrivacyPools replaces the privacy pools of a chain. Until
	// RecordVersions, the events of pools count as outdated.
	SetPrivacyPools(ctx context.Context, lease indexing.Lease, pools []starknet.Felt) error
}

// tables are the tables of a fact and those that depend on them.
var tables = map[string][]facts.Table{
	"transfers":         {facts.TableTransfers, facts.TableUntyped, facts.TableActivity, facts.TableTokens},
	"untyped_transfers": {facts.TableUntyped},
	"privacy_events":    {facts.TablePrivacyEvents},
	"activity":          {facts.TableActivity},
	"deployments":       {facts.TableDeployments, facts.TableActivity},
	"tokens":            {facts.TableTokens},
}

// Job rederives facts of one chain.
type Job struct {
	Chain       domain.Chain
	Leases      indexing.Leases
	Checkpoints indexing.Checkpoints
	Archive     indexing.Archive
	Writer      Writer
	PoolStore   PoolStore
	Holder      string // identifies this process as lease holder
	// Gone reports whether the holder of a lease has provably ended, so that its
	// lease is taken over at once; nil waits until it ends.
	Gone func(holder string) bool
	// Pools are the privacy pools from now on, for privacy_events. If nil, they
	// stay the same; an index without any gets the known ones.
	Pools []starknet.Felt
	// Report receives the progress periodically; it may be nil.
	Report func(block, last uint64)
}

// Result is the outcome of a run.
type Result struct {
	First, Last uint64 // the checked blocks
	Rewritten   int    // blocks or classes whose rows differed
}

// Run rederives a fact: transfers (and untyped_transfers, activity and tokens,
// which depend on them), untyped_transfers, privacy_events, activity, deployments
// (and activity), tokens, schemas or locators. It returns indexing.ErrLed while an indexer leads the chain, and an
// *indexing.AlteredError at the first block or class that is not the one that was
// committed: what it derived from that would be false, and look right.
func (j *Job) Run(ctx context.Context, fact string) (result Result, err error) {
	err = indexing.Hold(ctx, j.Leases, j.Chain, j.Holder, j.Gone, func(ctx context.Context, lease indexing.Lease) error {
		switch fact {
		case "locators":
			if err := j.check(ctx); err != nil {
				return err
			}
			return j.Writer.RewriteLocators(ctx, lease)
		case "schemas":
			if err := j.schemas(ctx, lease, &result); err != nil {
				return err
			}
			return j.Writer.RecordVersions(ctx, lease, fact)
		}
		made, known := tables[fact]
		if !known {
			return fmt.Errorf("%s is not a derived fact", fact)
		}
		if err := j.checkClasses(ctx); err != nil {
			return err
		}
		if fact == string(facts.TablePrivacyEvents) {
			if err := j.setPools(ctx, lease); err != nil {
				return err
			}
		}
		if err := j.blocks(ctx, lease, made, &result); err != nil {
			return err
		}
		return j.Writer.RecordVersions(ctx, lease, names(made)...)
	})
	return result, err
}

// setPools changes the stored privacy pools to those of the job.
func (j *Job) setPools(ctx context.Context, lease indexing.Lease) error {
	stored, err := j.Archive.PrivacyPools(ctx, j.Chain)
	if err != nil {
		return err
	}
	pools := j.Pools
	if pools == nil && len(stored) == 0 {
		pools = privacy.KnownPools(j.Chain)
	}
	pools = slices.Compact(slices.SortedFunc(slices.Values(pools), starknet.Felt.Cmp))
	if len(pools) == 0 || slices.Equal(stored, pools) {
		return nil
	}
	return j.PoolStore.SetPrivacyPools(ctx, lease, pools)
}

// names returns the derivers of tables.
func names(made []facts.Table) (list []string) {
	for _, table := range made {
		list = append(list, string(table))
	}
	return list
}

// reportEvery is the interval of progress reports.
const reportEvery = 5 * time.Second

func (j *Job) blocks(ctx context.Context, lease indexing.Lease, made []facts.Table, result *Result) error {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil || at == nil || at.Block == nil {
		return err
	}
	result.First, result.Last = at.First, at.Block.Number
	replay, seen, reported := indexing.NewReplay(j.Chain, j.Archive), make(indexing.FirstSeen), time.Now()
	for run, err := range j.Archive.StoredRuns(ctx, j.Chain, at.First, at.Block.Number) {
		if err == nil {
			err = run.Check(j.Chain)
		}
		if err != nil {
			return err
		}
		derived, err := replay.Derive(ctx, run.Blocks, made...)
		if err != nil {
			return err
		}
		differing := 0
		for i := range derived {
			if slices.Contains(made, facts.TableTokens) {
				derived[i].Tokens = seen.First(derived[i].Header.Number, derived[i].Tokens)
			}
			if _, differ := facts.FirstDifference(&run.Blocks[i], &derived[i], made...); differ {
				differing++
			}
		}
		if differing > 0 {
			if err := j.Writer.Rewrite(ctx, lease, indexing.Run{Range: run.Range, Blocks: derived}, made...); err != nil {
				return err
			}
			result.Rewritten += differing
		}
		if j.Report != nil && time.Since(reported) > reportEvery {
			reported = time.Now()
			j.Report(derived[len(derived)-1].Header.Number, result.Last)
		}
	}
	return nil
}

// classesAtOnce is the number of classes per read.
const classesAtOnce = 64

func (j *Job) schemas(ctx context.Context, lease indexing.Lease, result *Result) error {
	var after *starknet.Felt
	for {
		stored, err := j.Archive.StoredClasses(ctx, j.Chain, after, classesAtOnce)
		if err != nil || len(stored) == 0 {
			return err
		}
		var differing []*facts.Class
		for _, class := range stored {
			if !class.Holds() {
				return &indexing.AlteredError{Chain: j.Chain, Class: &class.Hash}
			}
			made := facts.StoredClass(class.Hash, class.Sierra, class.ABI, class.Missing)
			a, b := facts.Block{Classes: []*facts.Class{class.Class}}, facts.Block{Classes: []*facts.Class{made}}
			if _, differ := facts.FirstDifference(&a, &b, facts.TableClasses); differ {
				differing = append(differing, made)
			}
		}
		if len(differing) > 0 {
			if err := j.Writer.RewriteSchemas(ctx, lease, differing); err != nil {
				return err
			}
			result.Rewritten += len(differing)
		}
		after = &stored[len(stored)-1].Hash
	}
}
