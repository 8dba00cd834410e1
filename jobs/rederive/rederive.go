package rederive

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Store is the read model.
type Store interface {
	indexing.Leases
	indexing.Histories
	Checkpoint(ctx context.Context, c domain.Chain) (*indexing.Checkpoint, error)
	StoredRuns(ctx context.Context, c domain.Chain, from, to uint64) iter.Seq2[indexing.Run, error]
	StoredClasses(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]*facts.Class, error)
	Rewrite(ctx context.Context, lease indexing.Lease, run indexing.Run, tables ...facts.Table) error
	RewriteSchemas(ctx context.Context, lease indexing.Lease, classes []*facts.Class) error
	RewriteLocators(ctx context.Context, lease indexing.Lease) error
	RecordVersions(ctx context.Context, lease indexing.Lease, names ...string) error
}

// tables are the tables that a fact's rows are in, with those that follow from
// them.
var tables = map[string][]facts.Table{
	"transfers":   {facts.TableTransfers, facts.TableActivity, facts.TableTokens},
	"activity":    {facts.TableActivity},
	"deployments": {facts.TableDeployments, facts.TableActivity},
	"tokens":      {facts.TableTokens},
}

// Job makes facts of one chain again.
type Job struct {
	Chain  domain.Chain
	Store  Store
	Holder string // names this process among those that may lead
	// Report is told now and then how far it is; nil means that nobody asks.
	Report func(block, last uint64)
}

// Result says what was done.
type Result struct {
	First, Last uint64 // the blocks that were looked at
	Rewritten   int    // how many of them, or of the classes, had other rows
}

// Run makes a fact again: transfers (with activity and tokens, which follow
// from them), activity, deployments (with activity), tokens, schemas or
// locators. It is indexing.ErrLed while an index process leads.
func (j *Job) Run(ctx context.Context, fact string) (result Result, err error) {
	err = indexing.Hold(ctx, j.Store, j.Chain, j.Holder, func(ctx context.Context, lease indexing.Lease) error {
		switch fact {
		case "locators":
			return j.Store.RewriteLocators(ctx, lease)
		case "schemas":
			if err := j.schemas(ctx, lease, &result); err != nil {
				return err
			}
			return j.Store.RecordVersions(ctx, lease, fact)
		}
		made, known := tables[fact]
		if !known {
			return fmt.Errorf("%s is no fact that is derived", fact)
		}
		if err := j.blocks(ctx, lease, made, &result); err != nil {
			return err
		}
		return j.Store.RecordVersions(ctx, lease, names(made)...)
	})
	return result, err
}

// names are the derivers of tables.
func names(made []facts.Table) (list []string) {
	for _, table := range made {
		list = append(list, string(table))
	}
	return list
}

// reportEvery is how often somebody is told.
const reportEvery = 5 * time.Second

func (j *Job) blocks(ctx context.Context, lease indexing.Lease, made []facts.Table, result *Result) error {
	at, err := j.Store.Checkpoint(ctx, j.Chain)
	if err != nil || at == nil || at.Block == nil {
		return err
	}
	result.First, result.Last = at.First, at.Block.Number
	replay, shown, told := indexing.NewReplay(j.Chain, j.Store), make(indexing.FirstSeen), time.Now()
	for run, err := range j.Store.StoredRuns(ctx, j.Chain, at.First, at.Block.Number) {
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
				derived[i].Tokens = shown.First(derived[i].Header.Number, derived[i].Tokens)
			}
			if _, differ := facts.FirstDifference(&run.Blocks[i], &derived[i], made...); differ {
				differing++
			}
		}
		if differing > 0 {
			if err := j.Store.Rewrite(ctx, lease, indexing.Run{Range: run.Range, Blocks: derived}, made...); err != nil {
				return err
			}
			result.Rewritten += differing
		}
		if j.Report != nil && time.Since(told) > reportEvery {
			told = time.Now()
			j.Report(derived[len(derived)-1].Header.Number, result.Last)
		}
	}
	return nil
}

// classesAtOnce is how many classes are looked at together.
const classesAtOnce = 64

func (j *Job) schemas(ctx context.Context, lease indexing.Lease, result *Result) error {
	var after *starknet.Felt
	for {
		stored, err := j.Store.StoredClasses(ctx, j.Chain, after, classesAtOnce)
		if err != nil || len(stored) == 0 {
			return err
		}
		var differing []*facts.Class
		for _, class := range stored {
			made := facts.StoredClass(class.Hash, class.Sierra, class.ABI, class.Missing)
			a, b := facts.Block{Classes: []*facts.Class{class}}, facts.Block{Classes: []*facts.Class{made}}
			if _, differ := facts.FirstDifference(&a, &b, facts.TableClasses); differ {
				differing = append(differing, made)
			}
		}
		if len(differing) > 0 {
			if err := j.Store.RewriteSchemas(ctx, lease, differing); err != nil {
				return err
			}
			result.Rewritten += len(differing)
		}
		after = &stored[len(stored)-1].Hash
	}
}
