package prove

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain/prove"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// ChangeJob implements prove.Store. The lock on the row serialises the changes of
// a job.
func (r Jobs) ChangeJob(ctx context.Context, id string, decide func(*prove.Job) *prove.Change) (job *prove.Job, err error) {
	var change *prove.Change
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var row model.ProveJob
		err := tx.NewSelect().Model(&row).Comment("prove.lock").Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if job, err = jobOf(ctx, tx, &row); err != nil {
			return err
		}
		if change = decide(job); change == nil || *change == (prove.Change{At: change.At}) {
			change = nil
			return nil
		}
		if err := apply(&row, change); err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(&row).Comment("prove.change").
			Column("status", "attempt_count", "error_code", "result_state", "dispatched_at", "completed_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		failpoint.Hit(failpoint.ProveChanging + actOf(change))
		job, err = jobOf(ctx, tx, &row)
		return err
	})
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	if change != nil {
		failpoint.Hit(failpoint.ProveChanged + actOf(change))
	}
	return job, nil
}

// apply makes a change to a row. A move that the table of moves does not have is
// an error.
func apply(row *model.ProveJob, change *prove.Change) error {
	if from := prove.Status(row.Status); change.To != "" && !from.May(change.To) {
		return fmt.Errorf("a proof job must not move from %s to %s", from, change.To)
	}
	if change.To != "" {
		row.Status, row.ErrorCode = model.ProveStatus(change.To), change.Code
	}
	if change.Result != "" {
		row.ResultState = model.ProveResultState(change.Result)
	}
	switch {
	case change.To == prove.Dispatched:
		row.AttemptCount++
		row.DispatchedAt = &change.At
	case change.To != "" && change.To.Terminal():
		row.CompletedAt = &change.At
	}
	return nil
}

// actOf names a change for failpoints.
func actOf(change *prove.Change) string {
	if change.To == "" {
		return string(change.Result)
	}
	return string(change.To)
}
