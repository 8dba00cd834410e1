package verify

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Jobs stores verification jobs.
type Jobs struct{ db *repo.DB }

var _ verify.JobStore = Jobs{}

// NewJobs returns the repository of verification jobs.
func NewJobs(db *repo.DB) Jobs { return Jobs{db} }

// Job implements verify.JobStore, by the primary key.
func (r Jobs) Job(ctx context.Context, id string) (*verify.Job, error) {
	return r.find(ctx, r.db.Write(), "verification.find", "id = ?", id)
}

// JobByKey implements verify.JobStore, by verification_jobs_key.
func (r Jobs) JobByKey(ctx context.Context, workspace, key string) (*verify.Job, error) {
	return r.find(ctx, r.db.Write(), "verification.by_key", "workspace = ? AND idempotency_key = ?", workspace, key)
}

// ActiveJob implements verify.JobStore, by verification_jobs_active.
func (r Jobs) ActiveJob(ctx context.Context, workspace string) (*verify.Job, error) {
	return r.find(ctx, r.db.Write(), "verification.active", "workspace = ? AND state < ?", workspace, model.VerificationTerminal)
}

// find returns the job that meets a condition, with its history, nil if there is
// none.
func (r Jobs) find(ctx context.Context, on bun.IDB, name, condition string, args ...any) (*verify.Job, error) {
	var row model.VerificationJob
	err := on.NewSelect().Model(&row).Comment(name).Where(condition, args...).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	return jobOf(ctx, on, &row)
}

// Jobs implements verify.JobStore, by verification_jobs_of_workspace.
func (r Jobs) Jobs(ctx context.Context, c domain.Chain, workspace string, page domain.PageRequest) (domain.Page[verify.Job], error) {
	before := uint64(math.MaxInt64)
	if len(page.After) == 1 {
		before = min(before, page.After[0])
	}
	var rows []model.VerificationJob
	var jobs []verify.Job
	err := r.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) (err error) {
		if err := tx.NewSelect().Model(&rows).Comment("verification.list").
			Where("workspace = ? AND chain = ? AND number < ?", workspace, model.Chain(c), before).
			Order("number DESC").Limit(int64(page.Limit + 1)).Scan(ctx); err != nil {
			return err
		}
		jobs, err = jobsOf(ctx, tx, rows)
		return err
	})
	if err != nil {
		return domain.Page[verify.Job]{}, repo.Failure(ctx, err)
	}
	return domain.CutPage(jobs, page.Limit, func(j verify.Job) domain.Position { return j.Position() }), nil
}
