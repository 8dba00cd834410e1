package index

import (
	"context"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
)

// Backfills stores the progress of backfills.
type Backfills struct{ db *repo.DB }

// NewBackfills returns the repository of backfills.
func NewBackfills(db *repo.DB) Backfills { return Backfills{db} }

// RecordBackfill stores the progress of a chain's backfill, or that there is none if
// it is nil. Without the lease, it changes nothing.
func (b Backfills) RecordBackfill(ctx context.Context, lease indexing.Lease, progress *chain.Backfill) error {
	if progress == nil {
		_, err := b.db.Write().NewRaw(`/* backfill.end */
			DELETE FROM backfills WHERE chain = ?0 AND EXISTS (
				SELECT FROM index_leases WHERE chain = ?0 AND holder = ?1 AND epoch = ?2 AND expires_at > now())`,
			string(lease.Chain), lease.Holder, lease.Epoch).Exec(ctx)
		return repo.Outage(err)
	}
	_, err := b.db.Write().NewRaw(`/* backfill.record */
		INSERT INTO backfills AS known (chain, from_block, to_block, done_blocks, eta_seconds)
		SELECT chain, ?3, ?4, ?5, ?6::bigint FROM index_leases WHERE chain = ?0 AND holder = ?1 AND epoch = ?2 AND expires_at > now()
		ON CONFLICT (chain) DO UPDATE SET from_block = excluded.from_block, to_block = excluded.to_block,
			done_blocks = excluded.done_blocks, eta_seconds = excluded.eta_seconds`,
		string(lease.Chain), lease.Holder, lease.Epoch, progress.From, progress.To, progress.Done, progress.LeftSeconds()).Exec(ctx)
	return repo.Outage(err)
}
