package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Writer changes the indexes on behalf of the holder of a lease. Without the
// lease, every method except Forget returns indexing.ErrLeaseLost and changes
// nothing. It caches the ids of addresses and selectors.
type Writer struct {
	db        *repo.DB
	addresses map[domain.Chain]*dictionary
	selectors map[domain.Chain]*dictionary
}

// NewWriter returns a writer with an empty cache of ids.
func NewWriter(db *repo.DB) *Writer {
	return &Writer{db: db, addresses: dictionaries("addresses"), selectors: dictionaries("selectors")}
}

// Forget clears the cached ids of a chain. Callers MUST call it when one of
// their commits may be lost: after a crash of the database, ids that were not
// durable are assigned to other felts.
func (w *Writer) Forget(c domain.Chain) {
	w.addresses[c].known.Purge()
	w.selectors[c].known.Purge()
}

// Begin records the first block of a chain's index, whether the chain is
// simulated, its privacy pools, and that its rows are made by the current
// derivers. Later calls change nothing.
func (w *Writer) Begin(ctx context.Context, lease indexing.Lease, first uint64, simulated bool, pools []starknet.Felt) error {
	b := w.batch(lease.Chain, indexing.Range{})
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		begun, err := repo.Changed(tx.NewInsert().
			Model(&model.Checkpoint{Chain: model.Chain(lease.Chain), FirstBlock: model.BlockNumber(first), Simulated: &simulated}).
			Column("chain", "first_block", "simulated").On("CONFLICT DO NOTHING").Comment("checkpoint.begin").Exec(ctx))
		if err != nil || begun == 0 {
			return err
		}
		if err := b.writePools(ctx, tx, pools); err != nil {
			return err
		}
		err = recordVersions(ctx, tx, lease.Chain, slices.Sorted(maps.Keys(facts.Versions)))
		failpoint.Hit(failpoint.IndexBegun)
		return err
	})
}

// recordVersions is RecordVersions within a transaction.
func recordVersions(ctx context.Context, tx bun.IDB, c domain.Chain, names []string) error {
	rows := make([]model.DeriverVersion, len(names))
	for i, name := range names {
		rows[i] = model.DeriverVersion{Chain: model.Chain(c), Fact: name, Version: int64(facts.Versions[name])}
	}
	_, err := tx.NewInsert().Model(&rows).Comment("deriver.record").
		On("CONFLICT (chain, fact) DO UPDATE").Set("version = EXCLUDED.version").Exec(ctx)
	return err
}

// RecordHead stores the head that the leader of a chain observed. A head
// without a block keeps the last known block and its age, and one without L1
// acceptance the last known acceptance.
func (w *Writer) RecordHead(ctx context.Context, lease indexing.Lease, head chain.Head) error {
	state, reason := model.StoredState(head.State, head.ReasonCode)
	number, hash := reference(head.Block)
	recorded, err := repo.Changed(w.db.Write().NewRaw(`/* head.record */
		WITH leader AS (
			SELECT chain FROM index_leases
			WHERE chain = ?0 AND holder = ?1 AND epoch = ?2 AND expires_at > now()
			FOR SHARE)
		INSERT INTO chain_heads AS known (chain, state, reason_code, block_number, block_hash, finality_depth, l1_block_number, l1_block_hash, l1_observed_at, observed_at, recorded_at)
		SELECT chain, ?3, ?4, ?5::bigint, ?6::bytea, ?7::bigint, ?8::bigint, ?9::bytea, CASE WHEN ?8::bigint IS NOT NULL THEN now() END, now(), now() FROM leader
		ON CONFLICT (chain) DO UPDATE SET
			state = excluded.state, reason_code = excluded.reason_code,
			block_number = coalesce(excluded.block_number, known.block_number),
			block_hash = coalesce(excluded.block_hash, known.block_hash),
			finality_depth = excluded.finality_depth,
			l1_block_number = coalesce(excluded.l1_block_number, known.l1_block_number),
			l1_block_hash = CASE WHEN excluded.l1_block_number IS NULL THEN known.l1_block_hash ELSE excluded.l1_block_hash END,
			l1_observed_at = CASE WHEN excluded.l1_block_number IS DISTINCT FROM known.l1_block_number
				THEN coalesce(excluded.l1_observed_at, known.l1_observed_at) ELSE known.l1_observed_at END,
			observed_at = CASE WHEN excluded.block_number IS NULL THEN known.observed_at ELSE excluded.observed_at END,
			recorded_at = excluded.recorded_at`,
		string(lease.Chain), lease.Holder, lease.Epoch, string(state), reason, number, hash, head.Depth, head.L1, head.L1Hash).Exec(ctx))
	if err != nil {
		return repo.Outage(err)
	}
	if recorded == 0 {
		return indexing.ErrLeaseLost
	}
	return nil
}

// idleTimeout is how long a writing transaction may be idle before Postgres
// ends it. Otherwise a process that is paused inside its transaction would
// block its successor.
const idleTimeout = 10 * time.Second

// lockTime is how long a writing transaction waits for a lock. Readers queue
// behind a transaction that waits to drop a table, so the wait must be short;
// the indexer retries.
const lockTime = 5 * time.Second

// lead runs a transaction that commits only while the lease is held. The check
// comes last and locks the lease's row, so that no other process can take the
// lease between the check and the commit.
func (w *Writer) lead(ctx context.Context, lease indexing.Lease, act func(tx repo.Tx) error) error {
	err := w.db.InTx(ctx, func(tx repo.Tx) error {
		if _, err := tx.NewRaw(`/* lead.bound */
			SELECT set_config('idle_in_transaction_session_timeout', ?, true), set_config('lock_timeout', ?, true)`,
			milliseconds(idleTimeout), milliseconds(lockTime)).Exec(ctx); err != nil {
			return err
		}
		if err := act(tx); err != nil {
			return err
		}
		return checkLease(ctx, tx, lease)
	})
	if err != nil {
		w.Forget(lease.Chain)
	}
	return repo.WriteFailure(err)
}

func checkLease(ctx context.Context, tx bun.IDB, lease indexing.Lease) error {
	var epoch int64
	err := tx.NewRaw(`/* lease.check */
		SELECT epoch FROM index_leases
		WHERE chain = ? AND holder = ? AND epoch = ? AND expires_at > clock_timestamp() FOR SHARE`,
		string(lease.Chain), lease.Holder, lease.Epoch).Scan(ctx, &epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return indexing.ErrLeaseLost
	}
	return err
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// run executes a statement that is built from our own names and numbers,
// because DDL takes no arguments. An error names the statement.
func run(ctx context.Context, on bun.IDB, format string, args ...any) error {
	if _, err := on.NewRaw(fmt.Sprintf(format, args...)).Exec(ctx); err != nil {
		return fmt.Errorf("%s: %w", repo.StatementName(fmt.Sprintf(format, args...)), err)
	}
	return nil
}
