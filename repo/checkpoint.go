package repo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/failpoint"
	"astrolabe/starknet"
)

// Checkpoint returns where the index of a chain stands, or nil when it was
// never begun.
func (db *DB) Checkpoint(ctx context.Context, c domain.Chain) (*indexing.Checkpoint, error) {
	checkpoints, err := db.Checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	checkpoint, ok := checkpoints[c]
	if !ok {
		return nil, nil
	}
	return &checkpoint, nil
}

// Checkpoints returns where the index of every chain stands.
func (db *DB) Checkpoints(ctx context.Context) (map[domain.Chain]indexing.Checkpoint, error) {
	// At most one row per chain and about 32 ranges each, by primary key.
	rows, err := db.pool.Query(ctx, `/* checkpoint.read */
		SELECT c.chain, c.first_block, c.block, c.hash, c.finalized_block,
			r.from_block, coalesce(r.to_block, 0), r.state, r.events
		FROM index_checkpoints c LEFT JOIN index_ranges r ON r.chain = c.chain
		ORDER BY c.chain, r.from_block`, pgx.QueryExecModeCacheStatement)
	if err != nil {
		return nil, outage(err)
	}
	var (
		code              int
		first             uint64
		number, finalized *uint64
		hash              *starknet.Felt
		from, to, events  *uint64
		state             *string
	)
	found := make(map[domain.Chain]indexing.Checkpoint)
	_, err = pgx.ForEachRow(rows, []any{&code, &first, &number, &hash, &finalized, &from, &to, &state, &events}, func() error {
		c := domain.Chains[code-1]
		checkpoint, ok := found[c]
		if !ok {
			checkpoint = indexing.Checkpoint{First: first, Finalized: finalized}
			if number != nil && hash != nil {
				checkpoint.Block = &domain.BlockRef{Number: *number, Hash: *hash}
			}
		}
		if from != nil {
			checkpoint.Ranges = append(checkpoint.Ranges, indexing.Range{From: *from, To: *to, State: indexing.RangeState(*state), Events: *events})
		}
		found[c] = checkpoint
		return nil
	})
	return found, outage(err)
}

// Begin says which block the index of a chain begins with, and that its rows
// are made by the current derivers. Once begun, it stays as it is.
func (db *DB) Begin(ctx context.Context, lease indexing.Lease, first uint64) error {
	return db.lead(ctx, lease, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `/* checkpoint.begin */
			INSERT INTO index_checkpoints (chain, first_block) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			chainCode(lease.Chain), first)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		err = recordVersions(ctx, tx, lease.Chain, slices.Sorted(maps.Keys(facts.Versions)))
		failpoint.Hit(failpoint.IndexBegun)
		return err
	})
}

// silence is how long a writing session may say nothing before Postgres ends
// it: a process that was paused inside its transaction must not keep its
// successor waiting.
const silence = 10 * time.Second

// lockTime is how long a writing transaction waits for a lock. Readers queue
// behind whoever waits to drop a table, so that must be short; the index tries
// again by itself.
const lockTime = 5 * time.Second

// lead runs a transaction that commits only while the lease is held. The
// check comes last and locks the lease's row, so that nobody can take the
// lease between the check and the commit.
func (db *DB) lead(ctx context.Context, lease indexing.Lease, act func(tx pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `/* lead.bound */
			SELECT set_config('idle_in_transaction_session_timeout', $1, true), set_config('lock_timeout', $2, true)`,
			milliseconds(silence), milliseconds(lockTime)); err != nil {
			return err
		}
		if err := act(tx); err != nil {
			return err
		}
		return checkLease(ctx, tx, lease)
	})
	if err != nil {
		db.Forget(lease.Chain)
	}
	return outage(storage(err))
}

func checkLease(ctx context.Context, tx pgx.Tx, lease indexing.Lease) error {
	var epoch int64
	err := tx.QueryRow(ctx, `/* lease.check */
		SELECT epoch FROM index_leases
		WHERE chain = $1 AND holder = $2 AND epoch = $3 AND expires_at > clock_timestamp() FOR SHARE`,
		string(lease.Chain), lease.Holder, lease.Epoch).Scan(&epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return indexing.ErrLeaseLost
	}
	return err
}
