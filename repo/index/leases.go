package index

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
)

// Leases grants the right to write a chain's index.
type Leases struct{ db *repo.DB }

var _ indexing.Leases = Leases{}

// NewLeases returns the repository of leases.
func NewLeases(db *repo.DB) Leases { return Leases{db} }

// TakeLease implements indexing.Leases. The database's clock decides, so
// processes with wrong clocks agree.
func (l Leases) TakeLease(ctx context.Context, c domain.Chain, holder string, lasts time.Duration) (indexing.Lease, bool, error) {
	lease := indexing.Lease{Chain: c, Holder: holder}
	err := l.db.Write().NewRaw(`/* lease.take */
		INSERT INTO index_leases AS held (chain, holder, epoch, expires_at, lasts_ms)
		VALUES (?0, ?1, 1, now() + make_interval(secs => ?2), (?2 * 1000)::bigint)
		ON CONFLICT (chain) DO UPDATE SET
			holder = excluded.holder,
			epoch = held.epoch + CASE WHEN held.holder = excluded.holder AND held.expires_at > now() THEN 0 ELSE 1 END,
			expires_at = excluded.expires_at, lasts_ms = excluded.lasts_ms
		WHERE held.holder = excluded.holder OR held.expires_at <= now()
		RETURNING epoch, expires_at`,
		string(c), holder, lasts.Seconds()).Scan(ctx, &lease.Epoch, &lease.ExpiresAt)
	if errors.Is(err, sql.ErrNoRows) {
		return indexing.Lease{}, false, nil
	}
	return lease, err == nil, repo.Outage(err)
}

// ReleaseLease implements indexing.Leases.
func (l Leases) ReleaseLease(ctx context.Context, lease indexing.Lease) error {
	_, err := l.db.Write().NewRaw(`/* lease.release */
		UPDATE index_leases SET expires_at = now()
		WHERE chain = ? AND holder = ? AND epoch = ?`,
		string(lease.Chain), lease.Holder, lease.Epoch).Exec(ctx)
	return repo.Outage(err)
}

// HeldLease implements indexing.Leases.
func (l Leases) HeldLease(ctx context.Context, c domain.Chain) (indexing.Lease, bool, error) {
	lease := indexing.Lease{Chain: c}
	err := l.db.Write().NewRaw(`/* lease.held */
		SELECT holder, epoch, expires_at FROM index_leases WHERE chain = ? AND expires_at > now()`,
		string(c)).Scan(ctx, &lease.Holder, &lease.Epoch, &lease.ExpiresAt)
	if errors.Is(err, sql.ErrNoRows) {
		return indexing.Lease{}, false, nil
	}
	return lease, err == nil, repo.Outage(err)
}
