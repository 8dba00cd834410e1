package verify

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// ChangeJob implements verify.JobStore. The lock on the row serialises the
// changes of a job.
func (r Jobs) ChangeJob(ctx context.Context, id string, decide func(*verify.Job) *verify.Change) (job *verify.Job, err error) {
	var change *verify.Change
	err = r.db.InTx(ctx, func(tx repo.Tx) error {
		var row model.VerificationJob
		err := tx.NewSelect().Model(&row).Comment("verification.lock").Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if job, err = jobOf(ctx, tx, &row); err != nil {
			return err
		}
		if change = decide(job); change == nil {
			return nil
		}
		if err := apply(ctx, tx, &row, change); err != nil {
			return err
		}
		failpoint.Hit(failpoint.VerifyChanging + actOf(change))
		job, err = jobOf(ctx, tx, &row)
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

// apply writes a change: the job, its history, its source and the queued work.
func apply(ctx context.Context, tx repo.Tx, row *model.VerificationJob, change *verify.Change) error {
	if change.To != "" {
		row.State, row.UpdatedAt = model.VerificationState(change.To), change.At
		if change.To.Terminal() {
			row.FinishedAt = &change.At
		}
		if err := appendMove(ctx, tx.Tx, row.ID, change.To, change.At); err != nil {
			return err
		}
	}
	if change.Failure != nil {
		row.FailureCode, row.FailureMessage = new(string(change.Failure.Code)), &change.Failure.Message
	}
	if err := applySource(ctx, tx, row, change); err != nil {
		return err
	}
	if _, err := tx.NewUpdate().Model(row).Comment("verification.change").ExcludeColumn("number").WherePK().Exec(ctx); err != nil {
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

func applySource(ctx context.Context, tx repo.Tx, row *model.VerificationJob, change *verify.Change) error {
	if change.Source != nil {
		row.SourceCommittedAt, row.SourceExpiresAt = &change.At, &change.Source.ExpiresAt
		if err := copySource(ctx, tx, row.ID, change.Source.Body); err != nil {
			return err
		}
		failpoint.Hit(failpoint.VerifyCopied)
	}
	if !change.DeleteSource {
		return nil
	}
	row.SourceDeletedAt = &change.At
	_, err := tx.NewDelete().Model((*model.VerificationSource)(nil)).Comment("verification.delete_source").Where("job = ?", row.ID).Exec(ctx)
	return err
}

// appendMove adds a row to the history of a job whose row is locked or new.
func appendMove(ctx context.Context, tx bun.Tx, job string, state verify.State, at time.Time) error {
	_, err := tx.NewRaw(`/* verification.append */
		INSERT INTO verification_history (job, seq, state, at)
		SELECT ?0, coalesce(max(seq), 0) + 1, ?1, ?2 FROM verification_history WHERE job = ?0`,
		job, model.VerificationState(state), at).Exec(ctx)
	return err
}

// actOf names a change for failpoints.
func actOf(change *verify.Change) string {
	switch {
	case change.DeleteSource:
		return failpoint.VerifyDeleteSource
	case change.To == "":
		return failpoint.VerifyRepeat
	}
	return string(change.To)
}
