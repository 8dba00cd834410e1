package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// Versions records the current versions of the facts that only the node has,
// after they were lost. A digest that holds shows that a block's rows are of the
// current versions, so every block must have one. It returns an
// *indexing.AlteredError for the first block whose digest does not hold.
func (j *Job) Versions(ctx context.Context) error {
	return j.hold(ctx, func(ctx context.Context, lease indexing.Lease) error {
		at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
		if err != nil {
			return err
		}
		if at == nil || at.Block == nil {
			return fmt.Errorf("%s has no indexed block", j.Chain)
		}
		for run, err := range j.Archive.StoredRuns(ctx, j.Chain, at.First, at.Block.Number) {
			if err == nil {
				err = run.Check(j.Chain)
			}
			if err != nil {
				return err
			}
			if i := slices.Index(run.Digests, nil); i >= 0 {
				return fmt.Errorf("block %d has no digest that shows its version; run: %s", run.Blocks[i].Header.Number, indexing.Advice(j.Chain).Rollback(0, 0))
			}
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(facts.Versions)), facts.Rederivable)
		if err := j.Store.RecordVersions(ctx, lease, names...); err != nil {
			return err
		}
		j.report("all digests match; the current version was recorded for: %s", strings.Join(names, ", "))
		return nil
	})
}
