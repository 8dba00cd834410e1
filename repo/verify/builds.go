package verify

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Builds is the part of the repository that works with the privileges of
// repo.BuilderRole.
type Builds struct{ db *repo.DB }

var _ verify.BuildStore = Builds{}

// NewBuilds returns the repository of builders.
func NewBuilds(db *repo.DB) Builds { return Builds{db} }

// buildColumns are the columns of a job that a builder may read.
var buildColumns = []string{"id", "number", "package", "state", "updated_at"}

// ClaimJob implements verify.BuildStore, by verification_jobs_builds. Processes
// that claim at the same time skip each other's jobs. The lease in the condition
// may be older than the lock, so decide gets a new one.
func (r Builds) ClaimJob(ctx context.Context, stale time.Time, decide func(*verify.Job) *verify.Change) (*verify.Job, error) {
	return changeJob(ctx, r.db, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Comment("build.find").Column(buildColumns...).Where("vj.state IN (2, 3)").
			Where("vj.state = 2 OR EXISTS (SELECT 1 FROM verification_builds AS b WHERE b.job = vj.id AND b.seen_at <= ?)", stale).
			Order("number").Limit(1).For("NO KEY UPDATE OF vj SKIP LOCKED")
	}, decide)
}

// ChangeBuild implements verify.BuildStore, by the primary key.
func (r Builds) ChangeBuild(ctx context.Context, id string, decide func(*verify.Job) *verify.Change) (*verify.Job, error) {
	return changeJob(ctx, r.db, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Comment("build.lock").Column(buildColumns...).Where("vj.id = ? AND vj.state IN (2, 3)", id).For("NO KEY UPDATE")
	}, decide)
}

// RenewLease implements verify.BuildStore, by the primary keys. A process that
// takes the job over writes the same row, so one of the two waits for the other.
func (r Builds) RenewLease(ctx context.Context, id string, lease verify.Lease, at time.Time) (held bool, err error) {
	changed, err := repo.Changed(r.db.Write().NewUpdate().Model((*model.VerificationBuild)(nil)).Comment("build.renew").Set("seen_at = ?", at).
		Where("job = ? AND builder = ? AND attempt = ?", id, lease.Builder, lease.Attempt).
		Where("EXISTS (SELECT 1 FROM verification_jobs AS j WHERE j.id = vl.job AND j.state = 3)").Exec(ctx))
	return changed == 1, repo.Failure(ctx, err)
}

// Source implements verify.BuildStore; see Jobs.Source.
func (r Builds) Source(ctx context.Context, job *verify.Job) io.Reader {
	return newSource(ctx, r.db, job)
}

// Listen calls on with the ID of every job that is new or has a new state, until
// ctx ends, and with an empty ID when some may have been missed.
func (r Builds) Listen(ctx context.Context, on func(id string)) { ListenJobs(ctx, r.db, on) }

// leaseOf returns the last attempt at building a job, nil if there is none.
func leaseOf(ctx context.Context, on bun.IDB, job string) (*verify.Lease, error) {
	row := model.VerificationBuild{Job: job}
	err := on.NewSelect().Model(&row).Comment("build.lease").WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &verify.Lease{Builder: row.Builder, Attempt: int(row.Attempt), ClaimedAt: row.ClaimedAt.UTC(), SeenAt: row.SeenAt.UTC()}, err
}

// applyBuild writes the lease and the candidate of a change. A job gets its first
// lease when it leaves the queue. Only jobs that are comparing have a candidate to
// delete.
func applyBuild(ctx context.Context, tx repo.Tx, job string, from verify.State, change *verify.Change) error {
	if l := change.Lease; l != nil {
		row := model.VerificationBuild{Job: job, Builder: l.Builder, Attempt: int64(l.Attempt), ClaimedAt: l.ClaimedAt, SeenAt: l.SeenAt}
		if err := storeLease(ctx, tx, from, &row); err != nil {
			return err
		}
	}
	if change.Candidate != nil {
		row := model.VerificationCandidate{Job: job, Class: change.Candidate, BuiltAt: change.At}
		if _, err := tx.NewInsert().Model(&row).Comment("build.deliver").Exec(ctx); err != nil {
			return err
		}
	}
	if from != verify.Comparing || !change.Ends() {
		return nil
	}
	_, err := tx.NewDelete().Model((*model.VerificationCandidate)(nil)).Comment("verification.delete_candidate").Where("job = ?", job).Exec(ctx)
	return err
}

// storeLease stores the first lease of a job, or a later one. The state does not
// change with a later one, so the trigger does not notify the builders.
func storeLease(ctx context.Context, tx repo.Tx, from verify.State, row *model.VerificationBuild) error {
	if from == verify.Queued {
		_, err := tx.NewInsert().Model(row).Comment("build.claim").Exec(ctx)
		return err
	}
	if _, err := tx.NewUpdate().Model(row).Comment("build.take").WherePK().Exec(ctx); err != nil {
		return err
	}
	return repo.Notify(ctx, tx, repo.VerificationChannel, row.Job)
}
