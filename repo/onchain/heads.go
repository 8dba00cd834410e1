package onchain

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Heads reads the heads and the indexing status of the chains.
type Heads struct{ db *repo.DB }

var _ chain.Heads = Heads{}

// NewHeads returns the repository of heads.
func NewHeads(db *repo.DB) Heads { return Heads{db} }

// heads returns at most one row per chain: a scan of the whole table, with the
// lease, checkpoint, epoch and partitions of each chain by primary key. The lease
// is compared with the database's clock: one that was not renewed for half its
// duration has lost its leader, who renews it four times in that duration. read_only is false on a replica, where
// being read-only is no fault.
const heads = `/* head.list */
	SELECT h.chain, h.state, coalesce(h.reason_code, '') AS reason_code, h.block_number, h.block_hash, coalesce(h.finality_depth, 0) AS finality_depth,
		h.l1_block_number, h.l1_block_hash, h.l1_observed_at, h.observed_at, h.recorded_at > h.observed_at AS stale, coalesce(l.expires_at - make_interval(secs => coalesce(l.lasts_ms, 0) / 2000.0) > now(), false) AS led,
		current_setting('transaction_read_only')::boolean AND NOT pg_is_in_recovery() AS read_only,
		c.first_block, coalesce(r.from_block - 1, c.block) AS last_block, c.finalized_block, c.transactions_block, c.full_block,
		CASE WHEN r.from_block IS NULL THEN c.hash END AS tip, coalesce(e.epoch, 0) AS epoch,
		b.from_block AS backfill_from, b.to_block AS backfill_to, b.done_blocks AS backfill_done, b.eta_seconds AS backfill_left
	FROM chain_heads h
	LEFT JOIN backfills b ON b.chain = h.chain
	LEFT JOIN index_leases l ON l.chain = h.chain
	LEFT JOIN index_checkpoints c ON c.chain = CASE h.chain WHEN 'SN_MAIN' THEN 1 ELSE 2 END
	LEFT JOIN fact_epochs e ON e.chain = CASE h.chain WHEN 'SN_MAIN' THEN 1 ELSE 2 END
	LEFT JOIN LATERAL (
		SELECT min(from_block) AS from_block FROM index_ranges WHERE chain = c.chain AND state <> 'ready'
	) r ON true`

type headRow struct {
	Chain          domain.Chain     `bun:"chain"`
	State          chain.IndexState `bun:"state"`
	ReasonCode     string           `bun:"reason_code"`
	BlockNumber    *int64           `bun:"block_number"`
	BlockHash      *starknet.Felt   `bun:"block_hash"`
	FinalityDepth  int64            `bun:"finality_depth"`
	L1BlockNumber  *int64           `bun:"l1_block_number"`
	L1BlockHash    *starknet.Felt   `bun:"l1_block_hash"`
	L1ObservedAt   *time.Time       `bun:"l1_observed_at"`
	ObservedAt     time.Time        `bun:"observed_at"`
	Stale          bool             `bun:"stale"`
	Led            bool             `bun:"led"`
	ReadOnly       bool             `bun:"read_only"`
	FirstBlock     *int64           `bun:"first_block"`
	LastBlock      *int64           `bun:"last_block"`
	FinalizedBlock *int64           `bun:"finalized_block"`
	Tip            *starknet.Felt   `bun:"tip"`
	// The newest block up to which every block reached the level.
	TransactionsBlock *int64 `bun:"transactions_block"`
	FullBlock         *int64 `bun:"full_block"`
	Epoch             int64  `bun:"epoch"`
	// The progress of a backfill, if there is one.
	BackfillFrom *int64 `bun:"backfill_from"`
	BackfillTo   *int64 `bun:"backfill_to"`
	BackfillDone *int64 `bun:"backfill_done"`
	BackfillLeft *int64 `bun:"backfill_left"`
}

// Heads implements chain.Heads. It uses a connection that may write, because
// the others are always read-only. Reads of requests use the replica only while
// it has the same heads.
func (r Heads) Heads(ctx context.Context) (map[domain.Chain]chain.Head, error) {
	rows, err := repo.Select[headRow](ctx, r.db.Write(), heads)
	if err != nil {
		return nil, err
	}
	repo.CheckReplica(ctx, r.db, func(ctx context.Context, replica *bun.DB) (bool, error) {
		there, err := repo.Select[headRow](ctx, replica, heads)
		return slices.EqualFunc(byChain(rows), byChain(there), sameHead), err
	})
	found := make(map[domain.Chain]chain.Head, len(rows))
	for i := range rows {
		found[rows[i].Chain] = rows[i].head()
	}
	return found, nil
}

func byChain(rows []headRow) []headRow {
	return slices.SortedFunc(slices.Values(rows), func(a, b headRow) int { return cmp.Compare(a.Chain, b.Chain) })
}

// sameHead reports whether two rows state the same facts about the index.
func sameHead(a, b headRow) bool {
	return a.Chain == b.Chain && a.Epoch == b.Epoch && equal(a.Tip, b.Tip) && equal(a.FirstBlock, b.FirstBlock) && equal(a.LastBlock, b.LastBlock) &&
		equal(a.FinalizedBlock, b.FinalizedBlock) && equal(a.L1BlockNumber, b.L1BlockNumber)
}

// equal compares values that may be missing.
func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

func (r *headRow) head() chain.Head {
	state, reason := model.IndexState(r.State, r.ReasonCode)
	head := chain.Head{
		State: state, ReasonCode: reason, Depth: uint64(r.FinalityDepth), ObservedAt: r.ObservedAt,
		Led: r.Led, ReadOnly: r.ReadOnly, Stale: r.Stale, Coverage: r.coverage(), Epoch: uint64(r.Epoch),
	}
	if r.BlockNumber != nil && r.BlockHash != nil {
		head.Block = &domain.BlockRef{Number: uint64(*r.BlockNumber), Hash: *r.BlockHash}
	}
	if r.L1BlockNumber != nil {
		head.L1, head.L1Hash = new(uint64(*r.L1BlockNumber)), r.L1BlockHash
	}
	if r.L1ObservedAt != nil {
		head.L1Since = *r.L1ObservedAt
	}
	if r.BackfillFrom != nil {
		head.Backfill = &chain.Backfill{From: uint64(*r.BackfillFrom), To: uint64(*r.BackfillTo), Done: uint64(*r.BackfillDone)}
		if r.BackfillLeft != nil {
			head.Backfill.Left = new(time.Duration(*r.BackfillLeft) * time.Second)
		}
	}
	return head
}

// coverage returns the blocks that readers see: those before the first partition
// that is not ready.
func (r *headRow) coverage() *chain.Coverage {
	if r.FirstBlock == nil || r.LastBlock == nil || *r.LastBlock < *r.FirstBlock {
		return nil
	}
	c := &chain.Coverage{First: uint64(*r.FirstBlock), Last: uint64(*r.LastBlock), Tip: r.Tip}
	if r.FinalizedBlock != nil {
		c.Finalized = new(min(uint64(*r.FinalizedBlock), c.Last))
	}
	c.Verification = facts.Unverified
	if r.TransactionsBlock != nil && *r.TransactionsBlock >= *r.LastBlock {
		c.Verification = facts.TransactionsVerified
	}
	if r.FullBlock != nil {
		c.VerifiedThrough = new(min(uint64(*r.FullBlock), c.Last))
		if *c.VerifiedThrough == c.Last {
			c.Verification = facts.FullyVerified
		}
	}
	return c
}
