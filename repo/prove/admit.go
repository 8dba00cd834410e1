package prove

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// admissionLock is the advisory lock of the submissions that count all jobs.
const admissionLock = 0x7072_7600 // "prv"

// Admit implements prove.Store. The row of the workspace is locked first, so that
// identical submissions wait here and then find the job of the first. Then a lock
// of all workspaces keeps two of them from taking the last place of the queue.
func (r Jobs) Admit(ctx context.Context, job *prove.Job, digests []prove.Digest, decide func(*prove.Job, prove.Load) (prove.Admission, error)) (stored *prove.Job, admission prove.Admission, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := lockWorkspace(ctx, tx, job.Workspace); err != nil {
			return err
		}
		known, err := byKey(ctx, tx, job.Workspace, digests)
		if err != nil {
			return err
		}
		var load prove.Load
		if known == nil || known.Status == prove.Unavailable {
			if load, err = loadOf(ctx, tx, job); err != nil {
				return err
			}
		}
		if admission, err = decide(known, load); err != nil {
			return err
		}
		switch admission {
		case prove.Added:
			stored, err = insert(ctx, tx, job, digests[0])
		case prove.Requeued:
			stored, err = requeue(ctx, tx, known.ID, job)
		case prove.Replayed:
			stored = known
		}
		if admission != prove.Replayed {
			failpoint.Hit(failpoint.ProveAdmitting)
		}
		return err
	})
	if err != nil {
		return nil, prove.Replayed, repo.Failure(ctx, err)
	}
	if admission != prove.Replayed {
		failpoint.Hit(failpoint.ProveAdmitted)
	}
	return stored, admission, nil
}

func lockWorkspace(ctx context.Context, tx bun.Tx, id string) error {
	err := tx.NewSelect().Model((*model.Workspace)(nil)).Comment("prove.workspace").Column("id").
		Where("id = ?", id).For("NO KEY UPDATE").Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.CodeNotFound, "The workspace does not exist.")
	}
	return err
}

// loadOf counts by prove_jobs_of_key, prove_jobs_queue and the primary key of
// prove_budgets, alone until the transaction ends.
func loadOf(ctx context.Context, tx bun.Tx, job *prove.Job) (prove.Load, error) {
	if _, err := tx.NewRaw("/* prove.alone */ SELECT pg_advisory_xact_lock(?)", admissionLock).Exec(ctx); err != nil {
		return prove.Load{}, err
	}
	var row struct {
		Concurrent int64 `bun:"concurrent"`
		Today      int64 `bun:"today"`
		Queue      int64 `bun:"queue"`
	}
	err := tx.NewRaw(`/* prove.load */
		SELECT (SELECT count(*) FROM prove_jobs WHERE key_id = ?0 AND status < 2) AS concurrent,
			(SELECT count(*) FROM prove_jobs WHERE status = 0) AS queue,
			coalesce((SELECT used FROM prove_budgets WHERE key_id = ?0 AND day = ?1), 0) AS today`,
		job.Key, account.Day(job.CreatedAt)).Scan(ctx, &row)
	return prove.Load{Concurrent: int(row.Concurrent), Today: int(row.Today), Queue: int(row.Queue)}, err
}

// insert stores a new job and debits the budget of its key.
func insert(ctx context.Context, tx bun.Tx, job *prove.Job, digest prove.Digest) (*prove.Job, error) {
	row := model.ProveJob{
		ID: job.ID, Workspace: job.Workspace, KeyID: job.Key, IdempotencyDigest: digest.Key, RequestDigest: digest.Request,
		Status: model.ProveStatus(job.Status), ResultState: model.ProveResultState(job.Result),
		Holder: job.Holder.ID, HolderAddress: job.Holder.Address, CreatedAt: job.CreatedAt, QueuedAt: job.QueuedAt,
	}
	if _, err := tx.NewInsert().Model(&row).Comment("prove.add").Returning("number, place").Exec(ctx); err != nil {
		return nil, err
	}
	budget := model.ProveBudget{KeyID: job.Key, Day: account.Day(job.CreatedAt), Used: 1}
	if _, err := tx.NewInsert().Model(&budget).Comment("prove.debit").
		On("CONFLICT (key_id, day) DO UPDATE").Set("used = pb.used + 1").Exec(ctx); err != nil {
		return nil, err
	}
	return jobOf(ctx, tx, &row)
}

// requeue puts an unavailable job in a new place of the queue, with the holder
// and key of the new submission.
func requeue(ctx context.Context, tx bun.Tx, id string, job *prove.Job) (*prove.Job, error) {
	var row model.ProveJob
	if err := tx.NewUpdate().Model(&row).Comment("prove.requeue").
		Set("status = ?", model.ProveStatus(prove.Queued)).Set("key_id = ?", job.Key).
		Set("holder = ?", job.Holder.ID).Set("holder_address = ?", job.Holder.Address).Set("heartbeat_at = now()").
		Set("place = nextval('prove_places')").Set("queued_at = ?", job.QueuedAt).Set("dispatched_at = NULL, completed_at = NULL").
		Where("id = ? AND status = ?", id, model.ProveStatus(prove.Unavailable)).Returning("*").Scan(ctx); err != nil {
		return nil, err
	}
	return jobOf(ctx, tx, &row)
}
