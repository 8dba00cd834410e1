package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Checkpoints reads the checkpoints and partitions of the indexes.
type Checkpoints struct{ db *repo.DB }

var _ indexing.Checkpoints = Checkpoints{}

// NewCheckpoints returns the repository of checkpoints.
func NewCheckpoints(db *repo.DB) Checkpoints { return Checkpoints{db} }

// Checkpoint implements indexing.Checkpoints.
func (p Checkpoints) Checkpoint(ctx context.Context, c domain.Chain) (*indexing.Checkpoint, error) {
	checkpoints, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	checkpoint, ok := checkpoints[c]
	if !ok {
		return nil, nil
	}
	return &checkpoint, nil
}

// checkpointRow is a checkpoint with one of its partitions, if there are any.
type checkpointRow struct {
	model.Checkpoint
	FromBlock *model.BlockNumber `bun:"from_block"`
	ToBlock   *model.BlockNumber `bun:"to_block"`
	State     *string            `bun:"state"`
	Events    *int64             `bun:"events"`
	L1Number  *int64             `bun:"l1_block_number"`
	L1Hash    *starknet.Felt     `bun:"l1_block_hash"`
}

// acceptance returns the newest block that is accepted on L1.
func (r *checkpointRow) acceptance() *domain.BlockRef {
	if r.L1Number == nil {
		return nil
	}
	l1 := &domain.BlockRef{Number: uint64(*r.L1Number)}
	if r.L1Hash != nil {
		l1.Hash = *r.L1Hash
	}
	return l1
}

// All returns the checkpoint of every chain.
func (p Checkpoints) All(ctx context.Context) (map[domain.Chain]indexing.Checkpoint, error) {
	// At most one row per chain with its head, and about 32 partitions each, by
	// primary key.
	rows, err := repo.Select[checkpointRow](ctx, p.db.Write(), `/* checkpoint.read */
		SELECT c.chain, c.first_block, c.block, c.hash, c.finalized_block, c.genesis, c.simulated, r.from_block, r.to_block, r.state, r.events,
			h.l1_block_number, h.l1_block_hash
		FROM index_checkpoints c LEFT JOIN index_ranges r ON r.chain = c.chain
		LEFT JOIN chain_heads h ON h.chain = CASE c.chain WHEN 1 THEN 'SN_MAIN' ELSE 'SN_SEPOLIA' END
		ORDER BY c.chain, r.from_block`)
	if err != nil {
		return nil, err
	}
	found := make(map[domain.Chain]indexing.Checkpoint)
	for _, row := range rows {
		c := domain.Chain(row.Chain)
		checkpoint, ok := found[c]
		if !ok {
			checkpoint = indexing.Checkpoint{First: uint64(row.FirstBlock), Finalized: row.FinalizedBlock.Uint64(), Genesis: row.Genesis, Simulated: row.Simulated}
			if row.Block != nil && row.Hash != nil {
				checkpoint.Block = &domain.BlockRef{Number: uint64(*row.Block), Hash: *row.Hash}
			}
			checkpoint.L1 = row.acceptance()
		}
		if row.FromBlock != nil {
			checkpoint.Ranges = append(checkpoint.Ranges, rangeOf(&model.Range{
				FromBlock: *row.FromBlock, ToBlock: row.ToBlock, State: *row.State, Events: *row.Events,
			}))
		}
		found[c] = checkpoint
	}
	return found, nil
}

// RecordGenesis implements indexing.Checkpoints.
func (p Checkpoints) RecordGenesis(ctx context.Context, lease indexing.Lease, hash starknet.Felt) error {
	_, err := p.db.Write().NewRaw(`/* checkpoint.genesis */
		WITH leader AS (
			SELECT chain FROM index_leases WHERE chain = ?0 AND holder = ?1 AND epoch = ?2 AND expires_at > now() FOR SHARE
		)
		UPDATE index_checkpoints SET genesis = ?4 FROM leader WHERE index_checkpoints.chain = ?3 AND genesis IS NULL`,
		string(lease.Chain), lease.Holder, lease.Epoch, model.Code(lease.Chain), hash).Exec(ctx)
	return repo.Outage(err)
}

// rangeOf converts a stored partition to the domain's type.
func rangeOf(r *model.Range) indexing.Range {
	is := indexing.Range{From: uint64(r.FromBlock), State: indexing.RangeState(r.State), Events: uint64(r.Events)}
	if r.ToBlock != nil {
		is.To = uint64(*r.ToBlock)
	}
	return is
}

// BlockHash implements indexing.Checkpoints.
func (p Checkpoints) BlockHash(ctx context.Context, c domain.Chain, number uint64) (hash starknet.Felt, held bool, err error) {
	held, err = p.columns(ctx, c, number, "/* block.hash */ SELECT hash FROM %s WHERE block = ?", &hash)
	return hash, held, err
}

// Parent implements indexing.Checkpoints.
func (p Checkpoints) Parent(ctx context.Context, c domain.Chain, number uint64) (parent indexing.Parent, held bool, err error) {
	var row model.Block
	held, err = p.columns(ctx, c, number, "/* block.parent */ SELECT state_root, version, verification FROM %s WHERE block = ?", &row)
	return indexing.Parent{StateRoot: row.StateRoot, Version: row.Version, Verification: facts.Verification(row.Verification)}, held, err
}

// columns reads columns of a stored block from the table of its range.
func (p Checkpoints) columns(ctx context.Context, c domain.Chain, number uint64, statement string, into any) (held bool, err error) {
	var from int64
	err = p.db.Write().NewRaw(`/* range.holding */
		SELECT from_block FROM index_ranges WHERE chain = ? AND from_block <= ? ORDER BY from_block DESC LIMIT 1`,
		model.Code(c), number).Scan(ctx, &from)
	if err == nil {
		err = p.db.Write().NewRaw(fmt.Sprintf(statement, leaf("blocks", c, uint64(from))), number).Scan(ctx, into)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, repo.Outage(err)
}

// DeriverVersions implements indexing.Checkpoints.
func (p Checkpoints) DeriverVersions(ctx context.Context, c domain.Chain) (map[string]int, error) {
	var rows []model.DeriverVersion
	err := p.db.Write().NewSelect().Model(&rows).Comment("deriver.list").Where("chain = ?", model.Code(c)).Scan(ctx)
	if err != nil {
		return nil, repo.Outage(err)
	}
	versions := make(map[string]int, len(facts.Versions))
	for i := range rows {
		versions[rows[i].Fact] = int(rows[i].Version)
	}
	return versions, nil
}

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
