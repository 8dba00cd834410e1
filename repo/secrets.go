package repo

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/secret"
	"astrolabe/failpoint"
)

type secretRow struct {
	bun.BaseModel `bun:"table:secrets"`

	Purpose       string
	Generation    uint32
	MasterID      []byte
	Box           []byte
	CreatedAt     time.Time
	HonouredUntil time.Time `bun:",nullzero"`
}

// Secrets implements secret.Store.
func (db *DB) Secrets(ctx context.Context) ([]secret.Sealed, error) {
	var rows []secretRow
	err := db.write.NewSelect().Model(&rows).Comment("secrets.load").
		Column("purpose", "generation", "master_id", "box", "created_at", "honoured_until").Scan(ctx)
	if err != nil {
		return nil, outage(err)
	}
	sealed := make([]secret.Sealed, len(rows))
	for i, r := range rows {
		sealed[i] = secret.Sealed{
			Purpose: secret.Purpose(r.Purpose), Generation: r.Generation, MasterID: r.MasterID,
			Box: r.Box, CreatedAt: r.CreatedAt, HonouredUntil: r.HonouredUntil,
		}
	}
	return sealed, nil
}

// AddSecret implements secret.Store.
func (db *DB) AddSecret(ctx context.Context, s secret.Sealed, olderUntil time.Time) (added bool, err error) {
	row := secretRow{
		Purpose: string(s.Purpose), Generation: s.Generation, MasterID: s.MasterID,
		Box: s.Box, CreatedAt: s.CreatedAt, HonouredUntil: s.HonouredUntil,
	}
	err = db.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		result, err := tx.NewInsert().Model(&row).Comment("secrets.add").
			On("CONFLICT (purpose, generation) DO NOTHING").Exec(ctx)
		if err != nil {
			return err
		}
		count, err := result.RowsAffected()
		if added = count == 1; err != nil || !added || olderUntil.IsZero() {
			return err
		}
		_, err = tx.NewUpdate().Table("secrets").Comment("secrets.retire").Set("honoured_until = ?", olderUntil).
			Where("purpose = ?", row.Purpose).Where("generation < ?", row.Generation).
			Where("honoured_until IS NULL").Exec(ctx)
		return err
	})
	if added && err == nil {
		failpoint.Hit(failpoint.SecretCreated)
	}
	return added, outage(err)
}

// ForgetSecrets implements secret.Store.
func (db *DB) ForgetSecrets(ctx context.Context, now time.Time) (forgotten int, err error) {
	result, err := db.write.NewDelete().Table("secrets").Comment("secrets.forget").
		Where("honoured_until < ?", now).Exec(ctx)
	if err != nil {
		return 0, outage(err)
	}
	count, err := result.RowsAffected()
	return int(count), err
}
