package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"

	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// ChangeJob implements verify.JobStore, by the primary key.
func (r Jobs) ChangeJob(ctx context.Context, id string, decide func(*verify.Job) *verify.Change) (*verify.Job, error) {
	return changeJob(ctx, r.db, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Comment("verification.lock").Where("id = ?", id).For("NO KEY UPDATE")
	}, decide)
}

// changeJob changes the job that find locks. The lock on the row serialises the
// changes of a job.
func changeJob(ctx context.Context, db *repo.DB, find func(*bun.SelectQuery) *bun.SelectQuery, decide func(*verify.Job) *verify.Change) (job *verify.Job, err error) {
	var change *verify.Change
	err = db.InTx(ctx, func(tx repo.Tx) error {
		var row model.VerificationJob
		err := find(tx.NewSelect().Model(&row)).Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if job, err = lockedJob(ctx, tx, &row); err != nil {
			return err
		}
		if change = decide(job); change == nil {
			return nil
		}
		if err := apply(ctx, tx, &row, change); err != nil {
			return err
		}
		failpoint.Hit(failpoint.VerifyChanging + actOf(change))
		job, err = lockedJob(ctx, tx, &row)
		return err
	})
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	if change != nil {
		failpoint.Hit(failpoint.VerifyChanged + actOf(change))
	}
	return job, nil
}

// lockedJob returns the job of a locked row. The lease of a building job is read
// by a statement after the lock, so that it is the newest one.
func lockedJob(ctx context.Context, tx repo.Tx, row *model.VerificationJob) (*verify.Job, error) {
	job, err := jobOf(ctx, tx, row)
	if err != nil || job.State != verify.Building {
		return job, err
	}
	job.Lease, err = leaseOf(ctx, tx, row.ID)
	return job, err
}

// apply writes a change: the job, its source, its build and the queued work. Rows of
// other tables are written first, because a builder may only write those of jobs
// that it has not moved on. A trigger of the job adds the move to its history.
func apply(ctx context.Context, tx repo.Tx, row *model.VerificationJob, change *verify.Change) error {
	from := verify.State(row.State)
	if err := applySource(ctx, tx, row.ID, change); err != nil {
		return err
	}
	if err := applyBuild(ctx, tx, row.ID, from, change); err != nil {
		return err
	}
	if err := update(ctx, tx, row, change); err != nil {
		return err
	}
	switch work := (verify.Validation{JobID: row.ID}); {
	case change.Validate && change.To == "":
		return tx.EnqueueOnce(ctx, work, verify.ValidationPatience)
	case change.Validate:
		return tx.Enqueue(ctx, work)
	}
	return nil
}

// update writes the columns of a job that a change concerns.
func update(ctx context.Context, tx repo.Tx, row *model.VerificationJob, change *verify.Change) (err error) {
	var columns []string
	if change.To != "" {
		row.State, row.UpdatedAt = model.VerificationState(change.To), change.At
		columns = append(columns, "state", "updated_at")
	}
	if change.Ends() {
		row.FinishedAt = &change.At
		columns = append(columns, "finished_at")
	}
	if change.Failure != nil {
		row.FailureCode, row.FailureMessage = new(string(change.Failure.Code)), &change.Failure.Message
		columns = append(columns, "failure_code", "failure_message")
	}
	if change.Source != nil {
		row.SourceCommittedAt, row.SourceExpiresAt = &change.At, &change.Source.ExpiresAt
		columns = append(columns, "source_committed_at", "source_expires_at")
	}
	if change.DeleteSource {
		row.SourceDeletedAt = &change.At
		columns = append(columns, "source_deleted_at")
	}
	if change.Build != nil {
		if row.Build, err = json.Marshal(change.Build); err != nil {
			return err
		}
		columns = append(columns, "build")
	}
	if len(columns) == 0 {
		return nil
	}
	_, err = tx.NewUpdate().Model(row).Comment("verification.change").Column(columns...).WherePK().Exec(ctx)
	return err
}

func applySource(ctx context.Context, tx repo.Tx, job string, change *verify.Change) error {
	if change.Source != nil {
		if err := copySource(ctx, tx, job, change.Source.Body); err != nil {
			return err
		}
		failpoint.Hit(failpoint.VerifyCopied)
	}
	if !change.DeleteSource {
		return nil
	}
	_, err := tx.NewDelete().Model((*model.VerificationSource)(nil)).Comment("verification.delete_source").Where("job = ?", job).Exec(ctx)
	return err
}

// actOf names a change for failpoints.
func actOf(change *verify.Change) string {
	switch {
	case change.DeleteSource:
		return failpoint.VerifyDeleteSource
	case change.Lease != nil && change.To == "":
		return failpoint.VerifyLease
	case change.To == "":
		return failpoint.VerifyRepeat
	}
	return string(change.To)
}
