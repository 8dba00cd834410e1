package rederive

import (
	"context"

	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// check returns an error unless all base rows are those that were committed.
func (j *Job) check(ctx context.Context) error {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil || at == nil || at.Block == nil {
		return err
	}
	for run, err := range j.Archive.StoredRuns(ctx, j.Chain, at.First, at.Block.Number) {
		if err == nil {
			err = run.Check(j.Chain)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkClasses returns an error unless all classes are those that were
// committed.
func (j *Job) checkClasses(ctx context.Context) error {
	var after *starknet.Felt
	for {
		stored, err := j.Archive.StoredClasses(ctx, j.Chain, after, classesAtOnce)
		if err != nil || len(stored) == 0 {
			return err
		}
		for _, class := range stored {
			if !class.Holds() {
				return &indexing.AlteredError{Chain: j.Chain, Class: &class.Hash}
			}
		}
		after = &stored[len(stored)-1].Hash
	}
}
