package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// DueJobs implements verify.JobStore. Each act has its own partial index, in
// whose order the jobs are read.
func (r Jobs) DueJobs(ctx context.Context, act verify.Upkeep, now time.Time, most int) ([]string, error) {
	query := r.db.Write().NewSelect().Model((*model.VerificationJob)(nil)).Comment("verification.due").Column("id").Limit(int64(most))
	ids := []string{}
	err := due(query, act, now).Scan(ctx, &ids)
	return ids, repo.Failure(ctx, err)
}

// due adds the condition of an act. The states are part of the text, as in the
// indexes.
func due(query *bun.SelectQuery, act verify.Upkeep, now time.Time) *bun.SelectQuery {
	switch act {
	case verify.ExpireUpload: // verification_jobs_uploads
		return query.Where("state = ? AND upload_expires_at <= ?", model.VerificationState(verify.AwaitingUpload), now).Order("upload_expires_at")
	case verify.DeleteSource: // verification_jobs_sources
		return query.Where("source_deleted_at IS NULL AND source_expires_at IS NOT NULL AND source_expires_at <= ?", now).Order("source_expires_at")
	case verify.RepeatValidation: // verification_jobs_validating
		return query.Where("state = ? AND updated_at <= ?", model.VerificationState(verify.Validating), now.Add(-verify.ValidationPatience)).Order("updated_at")
	case verify.AbandonBuild: // verification_jobs_builds
		return query.Where("state = ? AND EXISTS (SELECT 1 FROM verification_builds AS b WHERE b.job = vj.id AND b.seen_at <= ?)",
			model.VerificationState(verify.Building), now.Add(-verify.BuildPatience)).Order("number")
	case verify.AbandonCompare: // verification_jobs_comparing
		return query.Where("state = ? AND updated_at <= ?", comparing, now.Add(-verify.ComparisonLimit)).Order("number")
	}
	return query.Err(fmt.Errorf("%q is no act of upkeep", act))
}
