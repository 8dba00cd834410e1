package prove

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Jobs stores proof jobs.
type Jobs struct{ db *repo.DB }

var _ prove.Store = Jobs{}

// NewJobs returns the repository of proof jobs.
func NewJobs(db *repo.DB) Jobs { return Jobs{db} }

// Job implements prove.Store, by the primary key.
func (r Jobs) Job(ctx context.Context, id string) (*prove.Job, error) {
	job, err := find(ctx, r.db.Write(), "prove.find", "id = ?", id)
	return job, repo.Failure(ctx, err)
}

// JobByKey implements prove.Store, by prove_jobs_key.
func (r Jobs) JobByKey(ctx context.Context, workspace string, digests []prove.Digest) (*prove.Job, error) {
	job, err := byKey(ctx, r.db.Write(), workspace, digests)
	return job, repo.Failure(ctx, err)
}

func byKey(ctx context.Context, on bun.IDB, workspace string, digests []prove.Digest) (*prove.Job, error) {
	keys := make([][]byte, len(digests))
	for i, d := range digests {
		keys[i] = d.Key
	}
	return find(ctx, on, "prove.by_key", "workspace = ? AND idempotency_digest IN (?)", workspace, bun.List(keys))
}

// find returns the job that meets a condition, nil if there is none.
func find(ctx context.Context, on bun.IDB, name, condition string, args ...any) (*prove.Job, error) {
	var row model.ProveJob
	err := on.NewSelect().Model(&row).Comment(name).Where(condition, args...).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return jobOf(ctx, on, &row)
}

// Jobs implements prove.Store, by prove_jobs_of_workspace.
func (r Jobs) Jobs(ctx context.Context, workspace string, page domain.PageRequest) (domain.Page[prove.Job], error) {
	before := uint64(math.MaxInt64)
	if len(page.After) == 1 {
		before = min(before, page.After[0])
	}
	var jobs []prove.Job
	err := r.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		var rows []model.ProveJob
		if err := tx.NewSelect().Model(&rows).Comment("prove.list").Where("workspace = ? AND number < ?", workspace, before).
			Order("number DESC").Limit(int64(page.Limit + 1)).Scan(ctx); err != nil {
			return err
		}
		for i := range rows {
			job, err := jobOf(ctx, tx, &rows[i])
			if err != nil {
				return err
			}
			jobs = append(jobs, *job)
		}
		return nil
	})
	if err != nil {
		return domain.Page[prove.Job]{}, repo.Failure(ctx, err)
	}
	return domain.CutPage(jobs, page.Limit, func(j prove.Job) domain.Position { return j.ListPosition() }), nil
}
