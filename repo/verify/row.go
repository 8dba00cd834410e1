package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// jobOf returns the job of a row with its history.
func jobOf(ctx context.Context, on bun.IDB, row *model.VerificationJob) (*verify.Job, error) {
	jobs, err := jobsOf(ctx, on, []model.VerificationJob{*row})
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	return &jobs[0], nil
}

// jobsOf returns the jobs of rows with their histories. A job that has moved since
// its row was read is returned as the row says.
func jobsOf(ctx context.Context, on bun.IDB, rows []model.VerificationJob) ([]verify.Job, error) {
	jobs := make([]verify.Job, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		job, err := withoutHistory(&rows[i])
		if err != nil {
			return nil, err
		}
		jobs[i], ids[i] = job, job.ID
	}
	histories, err := historiesOf(ctx, on, ids)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		job := &jobs[i]
		job.History = histories[job.ID]
		if last := slices.IndexFunc(job.History, func(m verify.Transition) bool { return m.State == job.State }); last >= 0 {
			job.History = job.History[:last+1]
		}
	}
	return jobs, nil
}

// historiesOf returns the histories of jobs, by the primary key.
func historiesOf(ctx context.Context, on bun.IDB, jobs []string) (map[string][]verify.Transition, error) {
	histories := make(map[string][]verify.Transition, len(jobs))
	if len(jobs) == 0 {
		return histories, nil
	}
	var moves []model.VerificationTransition
	err := on.NewSelect().Model(&moves).Comment("verification.history").Where("job IN (?)", bun.List(jobs)).Order("job", "seq").Scan(ctx)
	for _, m := range moves {
		histories[m.Job] = append(histories[m.Job], verify.Transition{State: verify.State(m.State), At: m.At.UTC()})
	}
	return histories, err
}

func withoutHistory(row *model.VerificationJob) (verify.Job, error) {
	job := verify.Job{
		ID: row.ID, Number: uint64(row.Number), Chain: domain.Chain(row.Chain), Workspace: row.Workspace, IdempotencyKey: row.IdempotencyKey,
		State: verify.State(row.State), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), UploadExpiresAt: row.UploadExpiresAt.UTC(),
		SourceCommittedAt: utc(row.SourceCommittedAt), SourceExpiresAt: utc(row.SourceExpiresAt), SourceDeletedAt: utc(row.SourceDeletedAt),
		FinishedAt: utc(row.FinishedAt), ProducedClassHash: row.ProducedClassHash,
	}
	if err := json.Unmarshal(row.Package, &job.Package); err != nil {
		return job, fmt.Errorf("package of %s: %w", row.ID, err)
	}
	if row.FailureCode != nil && row.FailureMessage != nil {
		job.Failure = &verify.Failure{Code: verify.FailureCode(*row.FailureCode), Message: *row.FailureMessage}
	}
	if len(row.Build) > 0 {
		job.Build = new(verify.Build)
		if err := json.Unmarshal(row.Build, job.Build); err != nil {
			return job, fmt.Errorf("build of %s: %w", row.ID, err)
		}
	}
	if row.ReceiptID != nil {
		job.ReceiptID = new(uint64(*row.ReceiptID))
	}
	return job, nil
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}
