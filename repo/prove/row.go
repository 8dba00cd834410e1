package prove

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/prove"
	"astrolabe/repo/model"
)

// jobOf returns the job of a row. The position of a queued one is counted by
// prove_jobs_queue.
func jobOf(ctx context.Context, on bun.IDB, row *model.ProveJob) (*prove.Job, error) {
	job := &prove.Job{
		ID: row.ID, Number: uint64(row.Number), Workspace: row.Workspace, Key: row.KeyID, Status: prove.Status(row.Status),
		Attempts: int(row.AttemptCount), Code: row.ErrorCode, Result: prove.ResultState(row.ResultState),
		Holder: prove.Holder{ID: row.Holder, Address: row.HolderAddress}, Place: row.Place,
		CreatedAt: row.CreatedAt.UTC(), QueuedAt: row.QueuedAt.UTC(), DispatchedAt: utc(row.DispatchedAt), CompletedAt: utc(row.CompletedAt),
		Request: row.RequestDigest,
	}
	if job.Status != prove.Queued {
		return job, nil
	}
	err := on.NewSelect().Model((*model.ProveJob)(nil)).Comment("prove.position").ColumnExpr("count(*) + 1").
		Where("status = 0 AND holder = ? AND place < ?", row.Holder, row.Place).Scan(ctx, &job.Position)
	return job, err
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}
