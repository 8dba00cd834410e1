package accounts

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/secret"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Secrets stores the deployment's encrypted secrets.
type Secrets struct{ db *repo.DB }

var (
	_ secret.Store    = Secrets{}
	_ secret.Resealer = Secrets{}
)

// NewSecrets returns the repository of secrets.
func NewSecrets(db *repo.DB) Secrets { return Secrets{db} }

// Secrets implements secret.Store.
func (r Secrets) Secrets(ctx context.Context) ([]secret.Sealed, error) {
	sealed, err := loadSecrets(ctx, r.db.Write())
	return sealed, repo.Failure(ctx, err)
}

func loadSecrets(ctx context.Context, on bun.IDB) ([]secret.Sealed, error) {
	var rows []model.Secret
	if err := on.NewSelect().Model(&rows).Comment("secrets.load").Scan(ctx); err != nil {
		return nil, err
	}
	sealed := make([]secret.Sealed, len(rows))
	for i, row := range rows {
		sealed[i] = secret.Sealed{
			Purpose: secret.Purpose(row.Purpose), Generation: uint32(row.Generation), MasterID: row.MasterID,
			Box: row.Box, CreatedAt: row.CreatedAt,
		}
		if row.HonouredUntil != nil {
			sealed[i].HonouredUntil = *row.HonouredUntil
		}
	}
	return sealed, nil
}

// AddSecret implements secret.Store.
func (r Secrets) AddSecret(ctx context.Context, s secret.Sealed, olderUntil time.Time) (added bool, err error) {
	row := model.Secret{
		Purpose: string(s.Purpose), Generation: int64(s.Generation), MasterID: s.MasterID, Box: s.Box, CreatedAt: s.CreatedAt,
	}
	if !s.HonouredUntil.IsZero() {
		row.HonouredUntil = &s.HonouredUntil
	}
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		count, err := repo.Changed(tx.NewInsert().Model(&row).Comment("secrets.add").On("CONFLICT (purpose, generation) DO NOTHING").Exec(ctx))
		if added = count == 1; err != nil || !added {
			return err
		}
		// The master key may have been replaced since this process read it.
		others, err := tx.NewSelect().Model((*model.Secret)(nil)).Comment("secrets.others").Where("master_id <> ?", row.MasterID).Count(ctx)
		if err != nil {
			return err
		}
		if others > 0 {
			return secret.ErrOtherMaster
		}
		if olderUntil.IsZero() {
			return nil
		}
		_, err = tx.NewUpdate().Model((*model.Secret)(nil)).Comment("secrets.retire").Set("honoured_until = ?", olderUntil).
			Where("purpose = ?", row.Purpose).Where("generation < ?", row.Generation).Where("honoured_until IS NULL").Exec(ctx)
		return err
	})
	if added && err == nil {
		failpoint.Hit(failpoint.SecretCreated)
	}
	return added, repo.Failure(ctx, err)
}

// ResealSecrets implements secret.Resealer. The lock keeps other processes from
// adding a secret that is sealed with the old master key.
func (r Secrets) ResealSecrets(ctx context.Context, reseal func(secret.Sealed) (secret.Sealed, error)) (count int, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("/* secrets.lock */ LOCK TABLE secrets IN EXCLUSIVE MODE").Exec(ctx); err != nil {
			return err
		}
		stored, err := loadSecrets(ctx, tx)
		if err != nil {
			return err
		}
		for _, s := range stored {
			sealed, err := reseal(s)
			if err != nil {
				return err
			}
			if _, err := tx.NewUpdate().Model((*model.Secret)(nil)).Comment("secrets.reseal").
				Set("master_id = ?", sealed.MasterID).Set("box = ?", sealed.Box).
				Where("purpose = ?", string(s.Purpose)).Where("generation = ?", s.Generation).Exec(ctx); err != nil {
				return err
			}
			failpoint.Hit(failpoint.SecretResealed)
		}
		count = len(stored)
		return nil
	})
	return count, repo.Failure(ctx, err)
}

// ForgetSecrets implements secret.Store.
func (r Secrets) ForgetSecrets(ctx context.Context, now time.Time) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewDelete().Model((*model.Secret)(nil)).Comment("secrets.forget").Where("honoured_until < ?", now).Exec(ctx))
}
