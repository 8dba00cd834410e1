package repo

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
)

// TakeLease implements indexing.Leases. The database's clock decides, so that
// processes with wrong clocks agree.
func (db *DB) TakeLease(ctx context.Context, c domain.Chain, holder string, lasts time.Duration) (indexing.Lease, bool, error) {
	lease := indexing.Lease{Chain: c, Holder: holder}
	err := db.pool.QueryRow(ctx, `/* lease.take */
		INSERT INTO index_leases AS held (chain, holder, epoch, expires_at)
		VALUES ($1, $2, 1, now() + $3::interval)
		ON CONFLICT (chain) DO UPDATE SET
			holder = excluded.holder,
			epoch = held.epoch + CASE WHEN held.holder = excluded.holder AND held.expires_at > now() THEN 0 ELSE 1 END,
			expires_at = excluded.expires_at
		WHERE held.holder = excluded.holder OR held.expires_at <= now()
		RETURNING epoch, expires_at`,
		string(c), holder, lasts).Scan(&lease.Epoch, &lease.ExpiresAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return indexing.Lease{}, false, nil
	}
	return lease, err == nil, outage(err)
}

// ReleaseLease implements indexing.Leases.
func (db *DB) ReleaseLease(ctx context.Context, lease indexing.Lease) error {
	_, err := db.pool.Exec(ctx, `/* lease.release */
		UPDATE index_leases SET expires_at = now()
		WHERE chain = $1 AND holder = $2 AND epoch = $3`,
		string(lease.Chain), lease.Holder, lease.Epoch)
	return outage(err)
}
