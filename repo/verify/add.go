package verify

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// admissionLock is the advisory lock of the creates that count all jobs.
const admissionLock = 0x7672_6600 // "vrf"

// AddJob implements verify.JobStore. The row of the workspace is locked first,
// so that identical requests wait here and then find the job of the first. Then
// a lock of all workspaces keeps two of them from taking the last place of the
// queue.
func (r Jobs) AddJob(ctx context.Context, job *verify.Job, admit func(verify.Load) error) (stored *verify.Job, added bool, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var workspace string
		if err := tx.NewSelect().Model((*model.Workspace)(nil)).Comment("verification.workspace").Column("id").
			Where("id = ?", job.Workspace).For("NO KEY UPDATE").Scan(ctx, &workspace); err != nil {
			return absentWorkspace(err)
		}
		if stored, err = r.find(ctx, tx, "verification.by_key", "workspace = ? AND idempotency_key = ?", job.Workspace, job.IdempotencyKey); err != nil || stored != nil {
			return err
		}
		if _, err := tx.NewRaw("/* verification.alone */ SELECT pg_advisory_xact_lock(?)", admissionLock).Exec(ctx); err != nil {
			return err
		}
		load, err := loadOf(ctx, tx, job)
		if err != nil {
			return err
		}
		if err := admit(load); err != nil {
			return err
		}
		stored, err = insert(ctx, tx, job)
		added = err == nil
		failpoint.Hit(failpoint.VerifyAdding)
		return err
	})
	if err != nil {
		return nil, false, repo.Failure(ctx, err)
	}
	if added {
		failpoint.Hit(failpoint.VerifyAdded)
	}
	return stored, added, nil
}

// loadOf counts by verification_jobs_active and the primary key of
// verification_creates.
func loadOf(ctx context.Context, tx bun.Tx, job *verify.Job) (verify.Load, error) {
	var row struct {
		Active bool  `bun:"active"`
		Today  int64 `bun:"today"`
		Queue  int64 `bun:"queue"`
	}
	err := tx.NewRaw(`/* verification.load */
		SELECT coalesce(bool_or(workspace = ?0), false) AS active, count(*) AS queue,
			coalesce((SELECT created FROM verification_creates WHERE workspace = ?0 AND day = ?1), 0) AS today
		FROM verification_jobs WHERE state < ?2`, job.Workspace, account.Day(job.CreatedAt), model.VerificationTerminal).Scan(ctx, &row)
	return verify.Load{Active: row.Active, Today: int(row.Today), Queue: int(row.Queue)}, err
}

// insert stores a job, whose trigger writes the first row of its history, and
// counts it.
func insert(ctx context.Context, tx bun.Tx, job *verify.Job) (*verify.Job, error) {
	row := model.VerificationJob{
		ID: job.ID, Chain: model.Chain(job.Chain), Workspace: job.Workspace, IdempotencyKey: job.IdempotencyKey,
		Package: job.Package.Canonical(), State: model.VerificationState(job.State),
		CreatedAt: job.CreatedAt, UpdatedAt: job.UpdatedAt, UploadExpiresAt: job.UploadExpiresAt,
	}
	if _, err := tx.NewInsert().Model(&row).Comment("verification.add").Exec(ctx); err != nil {
		return nil, err
	}
	count := model.VerificationCreates{Workspace: job.Workspace, Day: account.Day(job.CreatedAt), Created: 1}
	if _, err := tx.NewInsert().Model(&count).Comment("verification.count").
		On("CONFLICT (workspace, day) DO UPDATE").Set("created = vc.created + 1").Exec(ctx); err != nil {
		return nil, err
	}
	return jobOf(ctx, tx, &row)
}

// absentWorkspace converts sql.ErrNoRows to not_found.
func absentWorkspace(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.CodeNotFound, "The workspace does not exist.")
	}
	return err
}
