package prove

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// isHeld is the condition of jobs whose holder must not be silent, as in
// prove_jobs_silent.
const isHeld = "(status < 2 OR result_state = 1)"

// Beat implements prove.Store, by the primary key.
func (r Jobs) Beat(ctx context.Context, holder string, jobs []string) ([]string, error) {
	held := []string{}
	err := r.db.Write().NewUpdate().Model((*model.ProveJob)(nil)).Comment("prove.beat").Set("heartbeat_at = now()").
		Where("id IN (?) AND holder = ?", bun.List(jobs), holder).Where(isHeld).Returning("id").Scan(ctx, &held)
	return held, repo.Failure(ctx, err)
}

// swept is what becomes of the jobs of a silent holder.
var swept = map[prove.Status]prove.Status{
	prove.Queued:     prove.Unavailable,     // nothing was sent, and the body is gone
	prove.Dispatched: prove.UnknownDelivery, // nobody knows what was sent
}

// Sweep implements prove.Store, by prove_jobs_silent. A job whose heartbeat or end
// is being written is looked at again afterwards.
func (r Jobs) Sweep(ctx context.Context, silence time.Duration, spared []string, at time.Time) (ended map[prove.Status]int, expired int, err error) {
	ended = map[prove.Status]int{}
	for from, to := range swept {
		count, err := r.sweep(ctx, silence, spared, func(q *bun.UpdateQuery) *bun.UpdateQuery {
			return q.Set("status = ?", model.ProveStatus(to)).Set("completed_at = greatest(queued_at, ?)", at).Where("status = ?", model.ProveStatus(from))
		})
		if err != nil {
			return ended, 0, err
		}
		if count > 0 {
			ended[to] = count
		}
	}
	expired, err = r.sweep(ctx, silence, spared, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("result_state = ?", model.ProveResultState(prove.Expired)).Where("result_state = ?", model.ProveResultState(prove.Held))
	})
	return ended, expired, err
}

func (r Jobs) sweep(ctx context.Context, silence time.Duration, spared []string, change func(*bun.UpdateQuery) *bun.UpdateQuery) (int, error) {
	query := change(r.db.Write().NewUpdate().Model((*model.ProveJob)(nil)).Comment("prove.sweep")).
		Where(isHeld).Where("heartbeat_at < now() - make_interval(secs => ?)", silence.Seconds())
	if len(spared) > 0 {
		query = query.Where("id NOT IN (?)", bun.List(spared))
	}
	result, err := query.Exec(ctx)
	if err != nil {
		return 0, repo.Failure(ctx, err)
	}
	count, err := result.RowsAffected()
	return int(count), err
}

// Forget implements prove.Store, by prove_jobs_digests. The table of budgets has a
// row for each key and day.
func (r Jobs) Forget(ctx context.Context, before time.Time) error {
	_, err := r.db.Write().NewUpdate().Model((*model.ProveJob)(nil)).Comment("prove.forget").
		Set("idempotency_digest = NULL, request_digest = NULL").
		Where("created_at < ? AND idempotency_digest IS NOT NULL AND status >= 2", before).Exec(ctx)
	if err == nil {
		_, err = r.db.Write().NewDelete().Model((*model.ProveBudget)(nil)).Comment("prove.forget_budgets").Where("day < ?", account.Day(before)).Exec(ctx)
	}
	return repo.Failure(ctx, err)
}
